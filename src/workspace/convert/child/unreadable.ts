// Why a document has no Markdown: a sentence for the person, thrown by the readers.

export class Unreadable extends Error {}

export function broken(what: string): Unreadable {
  return new Unreadable(`The ${what} is damaged and could not be read.`);
}

export function locked(what: string): Unreadable {
  return new Unreadable(`The ${what} is protected with a password. Upload it without one.`);
}

/** Returns the error for a PDF without text of its own. Letters in pictures are not recognized. */
export function withoutText(): Unreadable {
  return new Unreadable('The PDF has no text; its pages may be pictures (a scan).');
}

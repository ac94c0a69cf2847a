// Signs that turn the direction of writing: nobody may be asked to allow something else than what is read.

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with each of them written out, as `[U+202E]`. */
export function withShownTurns(text: string): string {
  return text.replace(
    TURNS,
    (sign) => `[U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}

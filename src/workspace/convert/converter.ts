// The port of the conversion: a document in, Markdown out.

/** `reason` is a sentence for the person and the model. */
export type Conversion =
  | { readonly kind: 'converted'; readonly markdown: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface DocumentToConvert {
  /** Whose document it is: users take turns. */
  readonly userId: string | null;
  /** Of the open file, at its beginning; stays open. */
  readonly fd: number;
  /** With its dot, in small letters: `.pdf`. */
  readonly extension: string;
  /** Aborted: whatever reads the document is killed. */
  readonly signal: AbortSignal;
}

export interface Converter {
  /** Whether files with this extension become Markdown. */
  reads(extension: string): boolean;
  /** Never rejects, and ends within `longestMs` and the time for which it waits for its turn. */
  convert(document: DocumentToConvert): Promise<Conversion>;
  /** From the call to the end, at most. */
  readonly longestMs: number;
}

/** No file becomes Markdown. */
export const NO_CONVERTER: Converter = {
  reads: () => false,
  convert: () => Promise.resolve({ kind: 'failed', reason: 'Documents are not converted here.' }),
  longestMs: 0,
};

// The port of the conversion: a document in, Markdown out.
import type { ConversionReport } from './conversion-order.ts';

export interface DocumentToConvert {
  /** The owner of the document. Users take turns. */
  readonly userId: string | null;
  /** The descriptor of the open file, at its beginning. It stays open. */
  readonly fd: number;
  /** With its dot, in lower case: `.pdf`. */
  readonly extension: string;
  /** Aborting it kills the process that reads the document. */
  readonly signal: AbortSignal;
}

export interface Converter {
  /** True when files with this extension become Markdown. */
  reads(extension: string): boolean;
  /** Never rejects, and ends within `longestMs`. */
  convert(document: DocumentToConvert): Promise<ConversionReport>;
  /** The longest time from the call to the end, including the wait for a turn. */
  readonly longestMs: number;
}

/** Converts no file. */
export const NO_CONVERTER: Converter = {
  reads: () => false,
  convert: () => Promise.resolve({ kind: 'failed', reason: 'This service does not convert documents.' }),
  longestMs: 0,
};

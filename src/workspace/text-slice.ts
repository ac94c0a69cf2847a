// Reads a range of lines from a file of any size in bounded memory.
import type { FileHandle } from 'node:fs/promises';

export interface LineRange {
  /** From 1. Both ends are included. */
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
  /** The text is cut after this many characters. */
  readonly maxCharacters: number;
}

export type TextSlice =
  | { readonly kind: 'text'; readonly text: string; readonly cut: boolean }
  /** The file has fewer lines than `startLine`. */
  | { readonly kind: 'past_end'; readonly lines: number }
  /** The file has a NUL byte near its beginning: it is not text. */
  | { readonly kind: 'binary' }
  /** The range lies beyond the part of the file that is searched. */
  | { readonly kind: 'too_far'; readonly searchedBytes: number };

const CHUNK_BYTES = 64 * 1024;
const MAX_SEARCHED_BYTES = 256 * 1024 * 1024;

/** Bytes that are not UTF-8 show as U+FFFD. */
export async function readTextSlice(handle: FileHandle, range: LineRange): Promise<TextSlice> {
  const { startLine = 1, endLine = Number.POSITIVE_INFINITY, maxCharacters } = range;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  const slice = createLineCollector(startLine, endLine, maxCharacters);
  for (let position = 0; position < MAX_SEARCHED_BYTES; ) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    const bytes = buffer.subarray(0, bytesRead);
    if (position === 0 && bytes.includes(0)) return { kind: 'binary' };
    position += bytesRead;
    const text = decoder.decode(bytes, { stream: bytesRead > 0 });
    if (slice.add(text) === 'complete' || bytesRead === 0) return slice.finish();
  }
  return { kind: 'too_far', searchedBytes: MAX_SEARCHED_BYTES };
}

function createLineCollector(startLine: number, endLine: number, maxCharacters: number) {
  let line = 1;
  let atLineStart = true;
  let text = '';

  function add(chunk: string): 'complete' | 'more' {
    for (const piece of linePieces(chunk)) {
      if (line >= startLine) text += piece;
      atLineStart = piece.endsWith('\n');
      if (atLineStart) line += 1;
      if (line > endLine || text.length > maxCharacters) return 'complete';
    }
    return 'more';
  }

  function finish(): TextSlice {
    const lines = atLineStart ? line - 1 : line;
    if (text === '' && startLine > 1 && startLine > lines) return { kind: 'past_end', lines };
    return { kind: 'text', text: cutText(text, maxCharacters), cut: text.length > maxCharacters };
  }

  return { add, finish };
}

/** Yields the lines of a chunk with their ends. The last piece may be the beginning of a line. */
function* linePieces(chunk: string): Generator<string> {
  for (let from = 0; from < chunk.length; ) {
    const newline = chunk.indexOf('\n', from);
    const to = newline === -1 ? chunk.length : newline + 1;
    yield chunk.slice(from, to);
    from = to;
  }
}

/** Cuts without splitting a character that takes two UTF-16 units. */
function cutText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const cut = text.slice(0, maxCharacters);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

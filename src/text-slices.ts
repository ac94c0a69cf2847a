// Cuts long texts into slices: no reader is sent megabytes in one turn, and a slow one holds one slice.

/** Maximum length of a text that is written in one piece. */
export const SLICE_CHARACTERS = 65_536;

/** Yields the same text in slices. Joins short pieces and cuts long ones, never inside a character. */
export function* textSlices(pieces: Iterable<string>): Generator<string, void, void> {
  let slice = '';
  for (const piece of pieces) {
    let start = 0;
    while (slice.length + piece.length - start >= SLICE_CHARACTERS) {
      const end = beforePair(piece, start + SLICE_CHARACTERS - slice.length);
      yield slice + piece.slice(start, end);
      slice = '';
      start = end;
    }
    slice += piece.slice(start);
  }
  if (slice !== '') yield slice;
}

const HIGH_SURROGATES = 0xd800;

function beforePair(text: string, end: number): number {
  const isInPair = (text.charCodeAt(end - 1) & 0xfc00) === HIGH_SURROGATES;
  return isInPair ? end - 1 : end;
}

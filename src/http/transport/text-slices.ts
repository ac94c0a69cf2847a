// Long texts are written in slices: no reader is sent megabytes in one turn, and a slow one holds a slice.

/** What is longer is not written at once. */
export const SLICE_CHARACTERS = 65_536;

/** The same text in slices: short pieces are joined, long ones cut, and none of them inside a character. */
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

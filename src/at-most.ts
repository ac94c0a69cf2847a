// Limits the bytes of a stream.

/** Yields the same pieces. Throws `refusal()` once they exceed `maxBytes`, whatever size was announced. */
export async function* atMost<Piece extends Uint8Array>(
  pieces: AsyncIterable<Piece>,
  maxBytes: number,
  refusal: () => Error,
): AsyncGenerator<Piece> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    if (bytes > maxBytes) throw refusal();
    yield piece;
  }
}

// How the joined texts of an answer had come: in which pieces.

interface JoinedText {
  readonly length: number;
  readonly lengths: readonly number[];
}

/** Texts that nobody asked for are forgotten: not every package passes on every field. */
const MOST_REMEMBERED = 64;

/** Joined texts in the order in which they were sent to the package, until its parts come out again. */
export class JoinedPieces {
  #joined: JoinedText[] = [];

  add(lengths: readonly number[]): void {
    this.#joined.push({ length: lengths.reduce((sum, it) => sum + it, 0), lengths });
    if (this.#joined.length > MOST_REMEMBERED) this.#joined.shift();
  }

  /** The lengths of the pieces of the next joined text of this length; `undefined` for a text that came in one. */
  take(length: number): readonly number[] | undefined {
    const index = this.#joined.findIndex((it) => it.length === length);
    const found = this.#joined[index];
    if (found !== undefined) this.#joined = this.#joined.slice(index + 1);
    return found?.lengths;
  }
}

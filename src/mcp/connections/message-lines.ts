// Messages of a tool server that speaks in lines: cut out of its output, one by one, none longer than the limit.

export type Line =
  | { readonly kind: 'empty' }
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** Longer than the limit: its beginning and its end, in which the id of what it answers stands. */
  | { readonly kind: 'too_long'; readonly head: string; readonly tail: string };

const NEWLINE = 10;
/** Before the newline, where lines end as on Windows. */
const RETURN = 13;
const EDGE_BYTES = 256;

/** Keeps what has no end yet, which is never more than the limit. */
export class MessageLines {
  readonly #limitBytes: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #head: string | undefined;
  #tail = Buffer.alloc(0);

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The lines that end in this piece. What comes after a line is not looked at before the next one is asked for. */
  *add(piece: Buffer): Generator<Line, void, void> {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#keep(piece.subarray(from));
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.#limitBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.#head ??= Buffer.concat([...this.#pieces.splice(0), piece.subarray(0, EDGE_BYTES)])
      .subarray(0, EDGE_BYTES)
      .toString('latin1');
    this.#tail = Buffer.concat([this.#tail, piece.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
  }

  #take(): Line {
    if (this.#length === 0) return { kind: 'empty' };
    const head = this.#head;
    const tail = this.#tail.toString('latin1');
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    this.#length = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    if (bytes.length === 1 && bytes[0] === RETURN) return { kind: 'empty' };
    return head === undefined ? { kind: 'line', bytes } : { kind: 'too_long', head, tail };
  }
}

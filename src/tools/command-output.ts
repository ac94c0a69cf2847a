// What a command says: its beginning and its end, in bounded memory, and as text for the model.

/** How much of the beginning and of the end is kept, in characters each. */
const KEPT = 524_288;

export class CommandOutput {
  #head = '';
  #tail = '';
  #characters = 0;

  add(text: string): void {
    this.#characters += text.length;
    const room = KEPT - this.#head.length;
    this.#head += text.slice(0, room);
    if (text.length > room) this.#tail = (this.#tail + text.slice(Math.max(0, room))).slice(-KEPT);
  }

  get length(): number {
    return this.#characters;
  }

  /** Everything that is kept; where something is missing, a line says how much. */
  get text(): string {
    const skipped = this.#characters - this.#head.length - this.#tail.length;
    return skipped === 0 ? this.#head + this.#tail : `${this.#head}\n${skippedLine(skipped)}\n${this.#tail}`;
  }

  /** At most about `limit` characters: half of them from the beginning, half from the end. */
  short(limit: number): string {
    if (this.#characters <= limit) return this.text;
    const { text } = this;
    const half = Math.floor(limit / 2);
    return `${text.slice(0, half)}\n${skippedLine(this.#characters - 2 * half)}\n${text.slice(-half)}`;
  }
}

function skippedLine(characters: number): string {
  return `... [middle truncated: ${characters} chars skipped] ...`;
}

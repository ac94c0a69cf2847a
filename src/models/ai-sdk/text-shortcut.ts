// Text in the middle of an answer goes from the network straight to its reader, past the package.
//
// A package must see where a text begins and what comes after it; of what is between it makes nothing but the same
// text again, for tens of microseconds a piece. So once the text that it was given last has come out of it, and nothing
// else has been given to it since, more of that text need not take the way through it.

/** The fields of a chat-completion delta that are text. */
export type TextField = 'content' | 'reasoning_content' | 'reasoning';

/** Text as the port wants it; `lengths` are those of its pieces when they are several. */
export interface ArrivedText {
  readonly type: 'text_delta' | 'reasoning_delta';
  readonly text: string;
  readonly lengths?: readonly number[];
}

interface PassedText {
  readonly length: number;
  readonly lengths: readonly number[];
}

/** Texts that nobody asked for are forgotten: not every package passes on every field. */
const MOST_REMEMBERED = 64;

/** Characters that wait for a slow reader before the network is left alone. */
const MOST_WAITING = 16_384;

/** What may say more than an event of text does, in a delta that says something else. */
const SAYS_TEXT = /"(?:content|reasoning_content|reasoning)":\s*(?!null|""|\[\])/;

export class TextShortcut {
  /** Texts that the package was given, until they come out again. */
  #passed: PassedText[] = [];
  /** What the package was given last; `undefined` for anything that is not just text. */
  #last: TextField | undefined;
  #isShut = false;
  readonly #waiting: ArrivedText[] = [];
  #characters = 0;
  #arrival: PromiseWithResolvers<void> | undefined;
  #space: PromiseWithResolvers<void> | undefined;

  /** Takes a text that has arrived, or leaves it to the package. */
  take(field: TextField, text: string, lengths: readonly number[]): boolean {
    if (this.#isShut || this.#last !== field || this.#passed.length > 0) return false;
    if (text === '') return true;
    const type = field === 'content' ? 'text_delta' : 'reasoning_delta';
    this.#waiting.push(lengths.length > 1 ? { type, text, lengths } : { type, text });
    this.#characters += text.length;
    this.wake();
    return true;
  }

  /** The package is given an event that is nothing but text. */
  passText(field: TextField, lengths: readonly number[]): void {
    this.#last = field;
    this.#passed.push({ length: lengths.reduce((sum, it) => sum + it, 0), lengths });
    if (this.#passed.length > MOST_REMEMBERED) this.#passed.shift();
  }

  /** The package is given any other event. */
  passEvent(event: string): void {
    this.#last = undefined;
    if (SAYS_TEXT.test(event)) this.shut();
  }

  /** From now on everything takes the way through the package. */
  shut(): void {
    this.#isShut = true;
  }

  /** A text has come out of the package: the lengths of its pieces, `undefined` when it came in one. */
  cameOut(length: number): readonly number[] | undefined {
    const index = this.#passed.findIndex((it) => it.length === length);
    const found = this.#passed[index];
    if (found === undefined) return undefined;
    this.#passed = this.#passed.slice(index + 1);
    return found.lengths.length > 1 ? found.lengths : undefined;
  }

  /** The next text for the reader; it comes before whatever the package still says. */
  next(): ArrivedText | undefined {
    const text = this.#waiting.shift();
    if (text === undefined) return undefined;
    this.#characters -= text.text.length;
    if (this.#characters < MOST_WAITING) {
      this.#space?.resolve();
      this.#space = undefined;
    }
    return text;
  }

  /** Resolves at the next text, or `wake`. */
  arrival(): Promise<void> {
    this.#arrival ??= Promise.withResolvers();
    return this.#arrival.promise;
  }

  wake(): void {
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }

  /** Back-pressure: a promise when the network must wait until the reader has taken something. */
  space(): Promise<void> | undefined {
    if (this.#characters < MOST_WAITING) return undefined;
    this.#space ??= Promise.withResolvers();
    return this.#space.promise;
  }
}

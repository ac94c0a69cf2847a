// The source of a response's bytes: a connection of our own, or the body of a `fetch`.
import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';

export interface ByteSource {
  /** Returns all unread bytes, or what arrives next; `undefined` at the end. One read at a time. */
  read(): Promise<Uint8Array | undefined>;
  /** Leaves what arrives to the kernel until the next `read`, which returns all of it, as without a hold. */
  hold(): void;
  cancel(reason: unknown): Promise<void>;
}

/** Unread bytes at which the connection is paused. */
const MOST_WAITING = 65_536;

/** Takes the bytes of a Node stream as they arrive: a web stream costs several times as much. */
export class ArrivedBytes implements ByteSource {
  readonly #stream: Readable;
  #waiting: Uint8Array[] = [];
  #length = 0;
  #state: 'open' | 'ended' | { readonly thrown: unknown } = 'open';
  #arrival: PromiseWithResolvers<void> | undefined;
  #isHeld = false;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('data', (piece: Uint8Array) => this.#take(piece));
    stream.once('end', () => this.#over('ended'));
    stream.on('error', (error) => this.fail(broken(error)));
    // A stream that closes without an end is incomplete.
    stream.once('close', () => {
      if (this.#state === 'open') this.fail(broken(undefined));
    });
  }

  hold(): void {
    // The next read would return what has arrived, and leave the rest in the kernel for another pause.
    if (this.#length > 0) return;
    // After the end of the response, the connection may already serve the next request.
    if (!(this.#stream instanceof IncomingMessage) || this.#stream.complete) return;
    this.#stream.socket.pause();
    this.#isHeld = true;
  }

  async read(): Promise<Uint8Array | undefined> {
    const wasHeld = this.#release();
    while (this.#length === 0) {
      if (this.#state === 'ended') return undefined;
      if (this.#state !== 'open') throw this.#state.thrown;
      this.#arrival ??= Promise.withResolvers();
      await this.#arrival.promise;
    }
    // What the kernel had is read in this turn, but each record of TLS arrives alone.
    if (wasHeld) await endOfTurn();
    return this.#taken();
  }

  cancel(reason: unknown): Promise<void> {
    this.fail(reason);
    this.#stream.destroy();
    return Promise.resolve();
  }

  /** Makes reading throw this, after everything that has arrived was read. */
  fail(thrown: unknown): void {
    this.#over({ thrown });
  }

  #take(piece: Uint8Array): void {
    this.#waiting.push(piece);
    this.#length += piece.length;
    if (this.#length >= MOST_WAITING) this.#stream.pause();
    this.#wake();
  }

  #taken(): Uint8Array | undefined {
    const [first] = this.#waiting;
    const all = this.#waiting.length === 1 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#length = 0;
    if (this.#stream.isPaused()) this.#stream.resume();
    return all;
  }

  /** Returns whether the connection was held. */
  #release(): boolean {
    if (!this.#isHeld || !(this.#stream instanceof IncomingMessage)) return false;
    this.#isHeld = false;
    this.#stream.socket.resume();
    return true;
  }

  #over(state: 'ended' | { readonly thrown: unknown }): void {
    if (this.#state === 'open') this.#state = state;
    this.#wake();
  }

  #wake(): void {
    this.#arrival?.resolve();
    this.#arrival = undefined;
  }
}

export function webBytes(body: ReadableStream<Uint8Array>): ByteSource {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    hold: () => undefined,
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Returns what `fetch` throws when a connection breaks in the middle of a body. */
function broken(cause: unknown): TypeError {
  return new TypeError('terminated', { cause });
}

// One request to the provider, from the first byte sent to the last part read.
import type { ModelPart } from '../model.ts';
import type { ProviderOptions } from '../provider-options.ts';
import { CallClock } from './call-clock.ts';
import { explainFailure, type Failure, timedOut } from './explain-failure.ts';

/** An answer that has begun to arrive, in the words of the port. */
export interface AttemptResponse {
  /**
   * What arrives next: parts in their order, or none when the provider has said something that is no part of an answer.
   * The last part is the `finish`. Throws what the provider, the network or the protocol did wrong, after the parts that
   * came before it. One read at a time.
   */
  read(): Promise<readonly ModelPart[]>;
  /** After the finish: reads to the end of the body, so that the connection can be used again. */
  readToEnd(): Promise<void>;
  /** Lets go of the connection; a pending read settles at once. */
  cancel(reason: unknown): void;
}

/** Sends the request of a call; each attempt does so once. */
export type Send = (attempt: {
  readonly signal: AbortSignal;
  /** To be called when the provider has taken the connection; again does no harm. */
  readonly onConnected: () => void;
}) => Promise<AttemptResponse>;

interface AttemptParts {
  readonly entry: ProviderOptions;
  /** The caller's signal. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The end of a body follows its last event at once, or the connection is not worth waiting for. */
const DRAIN_MS = 50;

export class Attempt {
  readonly #parts: AttemptParts;
  readonly #request = new AbortController();
  readonly #ended = Promise.withResolvers<never>();
  readonly #clock: CallClock;
  readonly #stop = () => this.#end(this.#parts.signal.reason);
  #response: AttemptResponse | undefined;
  #hasBegun = false;
  #isOver = false;

  constructor(parts: AttemptParts) {
    const { entry, signal, now } = parts;
    this.#parts = parts;
    // Nobody may be waiting for it when it is rejected.
    this.#ended.promise.catch(() => undefined);
    this.#clock = new CallClock({
      timeouts: entry.timeouts,
      now,
      onExpired: () => this.#end(new Error('The call took too long.')),
    });
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Sends the request; settles when there is a response to read. The request body is released then. */
  async open(send: Send): Promise<void> {
    this.#parts.signal.throwIfAborted();
    const { signal } = this.#request;
    const sent = send({ signal, onConnected: () => this.#clock.connected() });
    // An answer that comes after `ended` has won the race is nobody's.
    sent.then(
      (late) => {
        if (signal.aborted) late.cancel(signal.reason);
      },
      () => undefined,
    );
    this.#response = await Promise.race([sent, this.#ended.promise]);
  }

  /** The next parts. After an abort or a timeout it throws: `failureOf` knows what happened. */
  async read(): Promise<readonly ModelPart[]> {
    this.#clock.awaiting();
    const parts = await this.#opened().read();
    // A connection that was released may look like one that ended.
    this.#throwIfEnded();
    this.#clock.arrived();
    return parts;
  }

  /** The first text, reasoning or call has arrived. */
  began(): void {
    this.#hasBegun = true;
    this.#clock.began();
  }

  /** What went wrong, to be thrown or tried again. Throws the signal's reason when the caller had aborted. */
  failureOf(thrown: unknown): Failure {
    const { entry, signal, now } = this.#parts;
    const { expired } = this.#clock;
    signal.throwIfAborted();
    if (expired !== undefined) return { error: timedOut(expired, entry), retry: undefined };
    return explainFailure(thrown, { entry, now, began: this.#hasBegun });
  }

  /** After the finish: takes the end of the body too, so that the connection can be used again. */
  async drain(): Promise<void> {
    const timer = setTimeout(() => this.#end(new Error('The connection does not end.')), DRAIN_MS);
    try {
      await this.#opened().readToEnd();
      this.#isOver = true;
    } catch {
      // The answer is complete; a connection that breaks after it is only not used again.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets go of the connection and the timer. */
  close(): void {
    this.#clock.stop();
    this.#parts.signal.removeEventListener('abort', this.#stop);
    const isLeft = !this.#isOver && !this.#request.signal.aborted;
    if (isLeft) this.#end(new Error('The answer is no longer wanted.'));
  }

  #end(reason: unknown): void {
    this.#request.abort(reason);
    this.#ended.reject(reason);
    this.#response?.cancel(reason);
  }

  #throwIfEnded(): void {
    this.#parts.signal.throwIfAborted();
    const { expired } = this.#clock;
    if (expired !== undefined) throw timedOut(expired, this.#parts.entry);
  }

  #opened(): AttemptResponse {
    if (this.#response === undefined) throw new Error('There is no answer to read yet.');
    return this.#response;
  }
}

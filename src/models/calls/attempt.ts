// One request to the provider, from the first byte sent to the last part read.
import type { ModelPart } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { CallClock } from './call-clock.ts';
import { explainFailure, type Failure, timedOut } from './explain-failure.ts';

/** A response that has begun to arrive, as parts of the port. */
export interface AttemptResponse {
  /**
   * Returns what arrives next: parts in order, or none when the provider sent something that is not part of a
   * reply. The last part is the `finish`. Throws errors of the provider, the network or the protocol after
   * the parts that came before them. One read at a time.
   */
  read(): Promise<readonly ModelPart[]>;
  /** Reads to the end of the body after the finish, so that the connection can be reused. */
  readToEnd(): Promise<void>;
  /** Releases the connection. A pending read settles immediately. */
  cancel(reason: unknown): void;
}

export type Send = (attempt: {
  readonly signal: AbortSignal;
  /** Called when the provider has accepted the connection. Repeated calls do no harm. */
  readonly onConnected: () => void;
}) => Promise<AttemptResponse>;

interface AttemptParts {
  readonly entry: ProviderOptions;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** The end of a body follows its last event immediately, or the connection is not worth waiting for. */
const DRAIN_MS = 50;

export class Attempt {
  readonly #parts: AttemptParts;
  readonly #request = new AbortController();
  readonly #ended = Promise.withResolvers<never>();
  readonly #clock: CallClock;
  readonly #stop = () => this.#end(this.#parts.signal.reason);
  #response: AttemptResponse | undefined;
  #hasBegun = false;
  #isFinished = false;
  #isReleased = false;

  constructor(parts: AttemptParts) {
    const { entry, signal, now } = parts;
    this.#parts = parts;
    // The rejection may have no other handler.
    this.#ended.promise.catch(() => undefined);
    this.#clock = new CallClock({
      timeouts: entry.timeouts,
      now,
      onExpired: () => this.#end(new Error('The call took too long.')),
    });
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** True when the finish was read: there are no more parts. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Sends the request. Settles when there is a response to read; the request body is released then. */
  async open(send: Send): Promise<void> {
    this.#parts.signal.throwIfAborted();
    const { signal } = this.#request;
    const sent = send({ signal, onConnected: () => this.#clock.connected() });
    // A response that comes after `ended` has won the race is discarded.
    sent.then(
      (late) => {
        if (signal.aborted) late.cancel(signal.reason);
      },
      () => undefined,
    );
    this.#response = await Promise.race([sent, this.#ended.promise]);
  }

  /** Returns the next parts. Throws after an abort or a timeout; `failureOf` determines what happened. */
  async read(): Promise<readonly ModelPart[]> {
    this.#clock.awaiting();
    const parts = await this.#opened().read();
    // A released connection may look like one that ended.
    this.#throwIfEnded();
    this.#clock.arrived();
    if (parts.length > 0 && !this.#hasBegun) {
      this.#hasBegun = true;
      this.#clock.began();
    }
    if (parts.at(-1)?.type === 'finish') await this.#drain();
    return parts;
  }

  /** Returns what went wrong, to be thrown or retried. Throws the signal's reason when the caller aborted. */
  failureOf(thrown: unknown): Failure {
    const { entry, signal, now } = this.#parts;
    const { expired } = this.#clock;
    signal.throwIfAborted();
    if (expired !== undefined) return { error: timedOut(expired, entry), retry: undefined };
    return explainFailure(thrown, { entry, now, began: this.#hasBegun });
  }

  /** Reads the end of the body after the finish, so that the connection can be reused. */
  async #drain(): Promise<void> {
    this.#isFinished = true;
    const timer = setTimeout(() => this.#end(new Error('The connection does not end.')), DRAIN_MS);
    try {
      await this.#opened().readToEnd();
      this.#isReleased = true;
    } catch {
      // The reply is complete. A connection that breaks after it is only not reused.
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#clock.stop();
    this.#parts.signal.removeEventListener('abort', this.#stop);
    const isLeft = !this.#isReleased && !this.#request.signal.aborted;
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

// One request to the provider, from the first byte sent to the last part read.
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { createCallClock } from './call-clock.ts';
import { explainFailure, type Failure, timedOut } from './explain-failure.ts';
import type { ProviderOptions } from './language-model.ts';
import { createPartSource, type Reading } from './part-source.ts';
import type { TextShortcut } from './text-shortcut.ts';

export interface Attempt {
  /** Sends the request; settles when the package has a stream to read. */
  open(): Promise<void>;
  /** What comes next. After an abort or a timeout it is the end, or throws: `failureOf` knows what happened. */
  read(): Promise<Reading>;
  /** A part has arrived; the time until the next `read` is not the provider's. */
  arrived(): void;
  /** The first text, reasoning or call has arrived. */
  began(): void;
  /** Throws what ended the attempt from outside: the caller's abort, or a timeout. */
  throwIfEnded(): void;
  /** What went wrong, to be thrown or tried again. Throws the signal's reason when the caller had aborted. */
  failureOf(thrown: unknown): Failure;
  /** After the finish: takes the end of the body too, so that the connection can be used again. */
  drain(): Promise<void>;
  /** Lets go of the connection and the timer. */
  close(): void;
}

export interface AttemptDeps {
  readonly entry: ProviderOptions;
  readonly languageModel: LanguageModelV4;
  readonly options: Omit<LanguageModelV4CallOptions, 'abortSignal'>;
  readonly shortcut: TextShortcut;
  /** The caller's signal. */
  readonly signal: AbortSignal;
  /** Told which signal a request carries, so that the news of its connection finds its way back. */
  readonly onRequest: (request: AbortSignal, connected: () => void) => void;
  readonly now: () => number;
}

/** The end of a body follows its last event at once, or the connection is not worth waiting for. */
const DRAIN_MS = 50;

export function createAttempt({
  entry,
  languageModel,
  options,
  shortcut,
  signal,
  onRequest,
  now,
}: AttemptDeps): Attempt {
  const request = new AbortController();
  const ended = Promise.withResolvers<never>();
  // Nobody may be waiting for it when it is rejected.
  ended.promise.catch(() => undefined);
  const source = createPartSource(shortcut);
  let hasBegun = false;
  let isOver = false;

  const end = (reason: unknown) => {
    request.abort(reason);
    ended.reject(reason);
    // A pending read of a cancelled reader settles at once, whatever the stream below is doing.
    source.cancel(reason);
  };
  const clock = createCallClock({
    timeouts: entry.timeouts,
    now,
    onExpired: () => end(new Error('The call took too long.')),
  });
  const stop = () => end(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  onRequest(request.signal, clock.connected);

  const throwIfEnded = () => {
    signal.throwIfAborted();
    if (clock.expired !== undefined) throw timedOut(clock.expired, entry);
  };
  return {
    open: async () => {
      signal.throwIfAborted();
      const sent = Promise.resolve(languageModel.doStream({ ...options, abortSignal: request.signal }));
      // Rejected after `ended` has won the race, it would be nobody's.
      sent.catch(() => undefined);
      const { stream } = await Promise.race([sent, ended.promise]);
      source.open(stream);
    },
    read: () => {
      clock.awaiting();
      return source.read();
    },
    arrived: clock.arrived,
    began: () => {
      hasBegun = true;
      clock.began();
    },
    throwIfEnded,
    failureOf: (thrown) => {
      signal.throwIfAborted();
      if (clock.expired !== undefined) return { error: timedOut(clock.expired, entry), retry: undefined };
      return explainFailure(thrown, { entry, now, began: hasBegun });
    },
    drain: async () => {
      const timer = setTimeout(() => end(new Error('The connection does not end.')), DRAIN_MS);
      try {
        while (!isOver) isOver = (await source.read()).kind === 'end';
      } catch {
        // The answer is complete; a connection that breaks after it is only not used again.
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => {
      clock.stop();
      signal.removeEventListener('abort', stop);
      if (!isOver && !request.signal.aborted) end(new Error('The answer is no longer wanted.'));
    },
  };
}

// A model behind a provider: streams a call, with timeouts, retries and errors that a person understands.
import type { Model, ModelInfo, ModelPart, ModelRequest } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { priceOf } from '../price-options.ts';
import { wait } from '../wait.ts';
import { Attempt, type Send } from './attempt.ts';
import { type BackoffOptions, backoffMs, DEFAULT_BACKOFF } from './backoff.ts';
import { explainFailure } from './explain-failure.ts';

export interface CallDeps {
  /** Replaces requests over the model's own connections. */
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly backoff?: Partial<BackoffOptions>;
}

export type Prepare = (request: ModelRequest) => Promise<Send>;

type RetryPart = Extract<ModelPart, { type: 'retry' }>;

interface Begun {
  readonly attempt: Attempt;
  readonly first: readonly ModelPart[];
}

/** `prepare` is specific to the provider. When to retry and when to give up is the same for all. */
export function createCallModel(entry: ProviderOptions, prepare: Prepare, deps: CallDeps): Model {
  const { now = Date.now, random = Math.random } = deps;
  const backoff = { ...DEFAULT_BACKOFF, ...deps.backoff };

  async function prepared(request: ModelRequest): Promise<Send> {
    try {
      return await prepare(request);
    } catch (thrown) {
      throw explainFailure(thrown, { entry, now, began: false }).error;
    }
  }

  /** Returns the `retry` part after a failed attempt. Throws the failure when there is no retry. */
  function retryOf(attempt: Attempt, number: number, thrown: unknown): RetryPart {
    const { error, retry } = attempt.failureOf(thrown);
    if (retry === undefined || number >= backoff.attempts) throw error;
    const waitMs = backoffMs(number, retry.afterMs, { options: backoff, random });
    const maxAttempts = backoff.attempts;
    return { type: 'retry', attempt: number + 1, maxAttempts, waitMs, reason: error.message };
  }

  /** Tries until a reply begins. Each failed try that is repeated is reported as a `retry` part. */
  async function* begin(request: ModelRequest): AsyncGenerator<ModelPart, Begun, void> {
    const { signal } = request;
    const send = await prepared(request);
    for (let number = 1; ; number += 1) {
      const attempt = new Attempt({ entry, signal, now });
      try {
        return { attempt, first: await firstOf(attempt, send) };
      } catch (thrown) {
        attempt.close();
        const retry = retryOf(attempt, number, thrown);
        yield retry;
        await wait(retry.waitMs, signal);
      }
    }
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    request.signal.throwIfAborted();
    const begun = yield* begin(request);
    try {
      yield* responseOf(begun, request.signal);
    } catch (thrown) {
      throw begun.attempt.failureOf(thrown).error;
    } finally {
      begun.attempt.close();
    }
  }

  return { info: infoOf(entry), stream };
}

async function firstOf(attempt: Attempt, send: Send): Promise<readonly ModelPart[]> {
  await attempt.open(send);
  let first = await attempt.read();
  while (first.length === 0) first = await attempt.read();
  attempt.began();
  return first;
}

async function* responseOf(
  { attempt, first }: Begun,
  signal: AbortSignal,
): AsyncGenerator<ModelPart, void, void> {
  for (let parts = first; ; parts = await attempt.read()) {
    for (const part of parts) {
      signal.throwIfAborted();
      if (part.type === 'finish') await attempt.drain();
      yield part;
      if (part.type === 'finish') return;
    }
  }
}

function infoOf(entry: ProviderOptions): ModelInfo {
  return {
    name: entry.name,
    displayName: entry.display_name ?? entry.name,
    description: entry.description,
    model: entry.model,
    provider: entry.provider,
    supportsThinking: entry.supports_thinking,
    supportsVision: entry.supports_vision,
    contextWindow: entry.context_window,
    outputLimit: entry.max_tokens,
    price: priceOf(entry.price),
  };
}

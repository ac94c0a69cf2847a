// A model behind a provider: streams a call, with timeouts, retries and errors that a person understands.
import type { Model, ModelInfo, ModelPart, ModelRequest } from '../model.ts';
import type { ProviderOptions } from '../model-options.ts';
import { priceOf } from '../price-options.ts';
import { wait } from '../wait.ts';
import { Attempt, type Send } from './attempt.ts';
import { type BackoffOptions, backoffMs, DEFAULT_BACKOFF } from './backoff.ts';
import { explainFailure, type Failure } from './explain-failure.ts';

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

interface Calls {
  readonly entry: ProviderOptions;
  readonly prepare: Prepare;
  readonly backoff: BackoffOptions;
  readonly now: () => number;
  readonly random: () => number;
}

/** `prepare` is specific to the provider. When to retry and when to give up is the same for all. */
export function createCallModel(entry: ProviderOptions, prepare: Prepare, deps: CallDeps): Model {
  const { now = Date.now, random = Math.random } = deps;
  const calls: Calls = { entry, prepare, backoff: { ...DEFAULT_BACKOFF, ...deps.backoff }, now, random };
  return { info: infoOf(entry), stream: (request) => streamCall(calls, request) };
}

/** Tries until a reply begins. Each failed try that is repeated is reported as a `retry` part. */
async function* streamCall(calls: Calls, request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
  const { entry, now } = calls;
  const { signal } = request;
  signal.throwIfAborted();
  const send = await prepared(calls, request);
  for (let number = 1; ; number += 1) {
    const attempt = new Attempt({ entry, signal, now });
    let retry: RetryPart;
    try {
      await attempt.open(send);
      while (!attempt.isFinished) {
        for (const part of await attempt.read()) {
          signal.throwIfAborted();
          yield part;
        }
      }
      return;
    } catch (thrown) {
      retry = retryAfter(attempt.failureOf(thrown), number, calls);
    } finally {
      attempt.close();
    }
    yield retry;
    await wait(retry.waitMs, signal);
  }
}

async function prepared({ entry, prepare, now }: Calls, request: ModelRequest): Promise<Send> {
  try {
    return await prepare(request);
  } catch (thrown) {
    throw explainFailure(thrown, { entry, now, began: false }).error;
  }
}

/** Throws the failure when there is no retry: a reply that has begun is never requested again. */
function retryAfter({ error, retry }: Failure, number: number, { backoff, random }: Calls): RetryPart {
  if (retry === undefined || number >= backoff.attempts) throw error;
  const waitMs = backoffMs(number, retry.afterMs, { options: backoff, random });
  return {
    type: 'retry',
    attempt: number + 1,
    maxAttempts: backoff.attempts,
    waitMs,
    reason: error.message,
  };
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

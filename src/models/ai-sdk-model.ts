// The one adapter over the provider packages: streams a call, with timeouts, retries and errors a person understands.
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { type Breath, createBreath, LONG_CALL_MS } from '../breath.ts';
import type { Message } from '../messages/message.ts';
import { type AnswerReader, createAnswerReader } from './ai-sdk/answer-reader.ts';
import { type Attempt, createAttempt } from './ai-sdk/attempt.ts';
import { type BackoffOptions, backoffMs, DEFAULT_BACKOFF } from './ai-sdk/backoff.ts';
import type { RequestBody } from './ai-sdk/http-exchange.ts';
import { createHttpPost, fetchPost } from './ai-sdk/http-post.ts';
import { joinedResponse, plainResponse } from './ai-sdk/joined-response.ts';
import { createLanguageModel, type ProviderOptions } from './ai-sdk/language-model.ts';
import type { ConvertedPrompt } from './ai-sdk/prompt-shape.ts';
import { type ProviderQuirks, quirksOf } from './ai-sdk/quirks/quirks.ts';
import { ReadPace } from './ai-sdk/read-pace.ts';
import { TextShortcut } from './ai-sdk/text-shortcut.ts';
import { createPromptConverter, type PromptConverter } from './ai-sdk/to-prompt.ts';
import { type Model, ModelError, type ModelInfo, type ModelPart, type ModelRequest } from './model.ts';
import { priceOf } from './price-options.ts';
import { wait } from './wait.ts';

export interface AiSdkModelDeps {
  readonly options: ProviderOptions;
  /** Instead of requests over connections of the model's own. */
  readonly fetch?: typeof globalThis.fetch;
  readonly now?: () => number;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly backoff?: Partial<BackoffOptions>;
}

/** Providers that stream chat completions. */
const CHAT_COMPLETIONS: ReadonlySet<string> = new Set(['openai', 'openai-compatible', 'deepseek']);

/** What is known of a request by the signal that it carries. */
interface Sent {
  /** Between making the body of a long prompt and sending it. */
  readonly breath: Breath;
  readonly onConnected: () => void;
  readonly toBody: ConvertedPrompt['toBody'];
  readonly shortcut: TextShortcut;
}

/** An answer that has begun: where it is read from, and its first part. */
interface Begun {
  readonly attempt: Attempt;
  readonly reader: AnswerReader;
  readonly first: ModelPart;
}

export function createAiSdkModel(deps: AiSdkModelDeps): Model {
  const { options: entry, fetch, now = Date.now, random = Math.random } = deps;
  const modelName = entry.name;
  const backoff = { ...DEFAULT_BACKOFF, ...deps.backoff };
  const post = fetch === undefined ? createHttpPost() : fetchPost(fetch);
  const requests = new WeakMap<AbortSignal, Sent>();
  const pace = new ReadPace();
  let loaded: Promise<LanguageModelV4> | undefined;
  const send: typeof globalThis.fetch = async (input, init) => {
    const sent = init?.signal ? requests.get(init.signal) : undefined;
    const body = await bodyOf(init?.body, sent);
    const answer = await post(input, { ...init, body, onConnected: sent?.onConnected });
    const isJoined = sent !== undefined && CHAT_COMPLETIONS.has(entry.provider);
    return isJoined ? joinedResponse(answer, { shortcut: sent.shortcut, pace }) : plainResponse(answer);
  };
  const quirks = quirksOf(entry.provider);
  const parts = { entry, converter: converterOf(entry), quirks };

  /** Tries until an answer begins; each try that failed and is made again is reported as a `retry` part. */
  async function* begin(request: ModelRequest): AsyncGenerator<ModelPart, Begun, void> {
    const breath = createBreath(LONG_CALL_MS);
    const { toBody, ...options } = callOptions(parts, request);
    await breath();
    loaded ??= createLanguageModel(entry, send);
    for (let number = 1; ; number += 1) {
      const shortcut = new TextShortcut();
      const attempt = createAttempt({
        entry,
        languageModel: await loaded,
        options,
        shortcut,
        signal: request.signal,
        onRequest: (signal, onConnected) => requests.set(signal, { breath, onConnected, toBody, shortcut }),
        now,
      });
      try {
        const reader = createAnswerReader({ modelName, messages: askedOf(request), shortcut, quirks });
        await attempt.open();
        const first = await nextPart(attempt, reader, entry.name);
        attempt.began();
        return { attempt, reader, first };
      } catch (thrown) {
        attempt.close();
        const { error, retry } = attempt.failureOf(thrown);
        if (retry === undefined || number >= backoff.attempts) throw error;
        const waitMs = backoffMs(number, retry.afterMs, { options: backoff, random });
        yield {
          type: 'retry',
          attempt: number + 1,
          maxAttempts: backoff.attempts,
          waitMs,
          reason: error.message,
        };
        await wait(waitMs, request.signal);
      }
    }
  }

  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    request.signal.throwIfAborted();
    const { attempt, reader, first } = yield* begin(request);
    try {
      let part = first;
      while (part.type !== 'finish') {
        yield part;
        part = await nextPart(attempt, reader, entry.name);
      }
      await attempt.drain();
      yield part;
    } catch (thrown) {
      throw attempt.failureOf(thrown).error;
    } finally {
      attempt.close();
    }
  }

  return { info: infoOf(entry), stream };
}

function converterOf({ provider, supports_vision: supportsVision }: ProviderOptions): PromptConverter {
  return createPromptConverter({ provider, supportsVision });
}

async function bodyOf(made: RequestInit['body'], sent: Sent | undefined): Promise<RequestBody> {
  if (typeof made !== 'string') throw new TypeError('A request to a provider has a text as its body.');
  const body = sent?.toBody === undefined ? made : sent.toBody(made);
  await sent?.breath();
  return body;
}

/** The whole thread: also what the model is not sent of it. */
function askedOf({ unsent = [], messages }: ModelRequest): readonly Message[] {
  return [...unsent, ...messages];
}

async function nextPart(attempt: Attempt, reader: AnswerReader, modelName: string): Promise<ModelPart> {
  for (;;) {
    const reading = await attempt.read();
    if (reading.kind === 'end') throw endedEarly(attempt, modelName);
    attempt.arrived();
    const part = reading.kind === 'text' ? reader.readArrived(reading.text) : reader.read(reading.part);
    if (part !== undefined) return part;
  }
}

function endedEarly(attempt: Attempt, modelName: string): ModelError {
  attempt.throwIfEnded();
  return new ModelError(
    'broken_stream',
    `The answer of model '${modelName}' ended without being finished. Try again.`,
  );
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

interface CallParts {
  readonly entry: ProviderOptions;
  readonly converter: PromptConverter;
  readonly quirks: ProviderQuirks;
}

function callOptions(
  { entry, converter, quirks }: CallParts,
  request: ModelRequest,
): Omit<LanguageModelV4CallOptions, 'abortSignal'> & ConvertedPrompt {
  return {
    ...converter.toPrompt(request),
    ...(request.tools.length > 0 ? { tools: converter.toTools(request.tools) } : {}),
    ...(entry.max_tokens === undefined ? {} : { maxOutputTokens: entry.max_tokens }),
    ...(entry.temperature === undefined ? {} : { temperature: entry.temperature }),
    ...quirks.options({}, { entry, thinking: request.thinking }),
  };
}

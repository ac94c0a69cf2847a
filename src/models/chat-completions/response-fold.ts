// Adds up the events of one reply: parts of the port as they arrive, and the finish.
import { type Fields, isFields, jsonIn } from '../../json/unknown-json.ts';
import type { Message, UsageMetadata } from '../../messages/message.ts';
import { CallCollector } from '../calls/call-collector.ts';
import { codeIn, statusIn } from '../calls/failure-facts.ts';
import { finishOf } from '../calls/finish.ts';
import { ProviderFailure, UnreadableResponse } from '../calls/provider-failure.ts';
import type { ModelFinish, ModelPart } from '../model.ts';
import { EchoRecorder } from '../prompt/provider-echo.ts';
import type { ProviderQuirks } from '../quirks/quirks.ts';
import { CallDeltas } from './call-deltas.ts';
import type { ProviderProfile } from './provider-profile.ts';
import { listOf, numberOf, textOf } from './wire.ts';

type TextType = 'text_delta' | 'reasoning_delta';

/** Pieces of text that arrived together are joined up to about this many characters. */
const JOINED_LENGTH = 512;

export interface ResponseFoldParts {
  readonly modelName: string;
  readonly profile: Pick<ProviderProfile, 'reasoningFields' | 'isSigned'>;
  readonly quirks: ProviderQuirks;
  readonly messages: readonly Message[];
}

export class ResponseFold {
  readonly #of: ResponseFoldParts;
  readonly #calls: CallCollector;
  readonly #echo = new EchoRecorder();
  readonly #deltas: CallDeltas;
  #parts: ModelPart[] = [];
  #text: { readonly type: TextType; text: string; readonly lengths: number[] } | undefined;
  #usage: Fields | undefined;
  #reason: string | undefined;
  #isRefused = false;

  constructor(parts: ResponseFoldParts) {
    this.#of = parts;
    this.#calls = new CallCollector(parts);
    this.#deltas = new CallDeltas(this.#calls, parts.profile.isSigned ? this.#echo : undefined);
  }

  /** Takes an event. Throws `ProviderFailure`, `UnreadableResponse` for no chunk, and `broken_stream`. */
  take(data: string): void {
    const chunk = jsonIn(data);
    if (!isFields(chunk)) throw new UnreadableResponse('An event of the answer is no JSON object.');
    if (chunk.error !== undefined && chunk.error !== null) throw failureIn(chunk.error);
    if (!Array.isArray(chunk.choices))
      throw new UnreadableResponse('An event of the response has no choices.');
    if (isFields(chunk.usage)) this.#usage = chunk.usage;
    const choice: unknown = chunk.choices[0];
    if (!isFields(choice)) return;
    this.#reason = textOf(choice.finish_reason) ?? this.#reason;
    // A reply that was not streamed has a message.
    const delta = choice.delta ?? choice.message;
    if (isFields(delta)) this.#takeDelta(delta);
  }

  taken(): readonly ModelPart[] {
    this.#endText();
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  /** Returns the finish, when nothing more comes. Throws `broken_stream` for an incomplete reply. */
  finish(): ModelFinish {
    const { modelName, quirks } = this.#of;
    this.#deltas.end();
    return finishOf({
      modelName,
      reason: reasonOf(this.#reason, this.#isRefused),
      calls: this.#calls,
      usage: usageOf(this.#usage, (count) => quirks.tokenCount(count, undefined)),
      providerMetadata: this.#echo.result(),
      quirks,
    });
  }

  #takeDelta(delta: Fields): void {
    for (const field of this.#of.profile.reasoningFields) {
      const reasoning = textOf(delta[field]);
      if (reasoning === undefined) continue;
      this.#say('reasoning_delta', reasoning);
      break;
    }
    if (typeof delta.content === 'string') this.#say('text_delta', delta.content);
    else for (const block of listOf(delta.content)) this.#takeBlock(block);
    const refusal = textOf(delta.refusal) ?? '';
    this.#isRefused ||= refusal !== '';
    this.#say('text_delta', refusal);
    for (const call of listOf(delta.tool_calls)) {
      if (isFields(call)) this.#add(...this.#deltas.take(call));
    }
  }

  /** Takes content in blocks, which some servers send as requests can have it. */
  #takeBlock(block: unknown): void {
    if (!isFields(block)) return;
    if (block.type === 'text') this.#say('text_delta', textOf(block.text) ?? '');
    if (block.type !== 'thinking') return;
    for (const piece of listOf(block.thinking)) {
      if (isFields(piece)) this.#say('reasoning_delta', textOf(piece.text) ?? '');
    }
  }

  #say(type: TextType, text: string): void {
    if (text === '') return;
    if (this.#text?.type !== type) {
      this.#endText();
      this.#text = { type, text, lengths: [text.length] };
      return;
    }
    this.#text.text += text;
    this.#text.lengths.push(text.length);
    if (this.#text.text.length >= JOINED_LENGTH) this.#endText();
  }

  #add(...parts: readonly ModelPart[]): void {
    if (parts.length === 0) return;
    this.#endText();
    this.#parts.push(...parts);
  }

  #endText(): void {
    if (this.#text === undefined) return;
    const { type, text, lengths } = this.#text;
    this.#parts.push(lengths.length > 1 ? { type, text, lengths } : { type, text });
    this.#text = undefined;
  }
}

function failureIn(error: unknown): ProviderFailure {
  const message = isFields(error) ? (textOf(error.message) ?? '') : String(error);
  return new ProviderFailure(message, { status: statusIn(error), code: codeIn(error) });
}

const REASONS: ReadonlyMap<string, ModelFinish['finishReason']> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
]);

/** The provider gave up in the middle. */
const UNFINISHED = 'insufficient_system_resource';

function reasonOf(reason: string | undefined, isRefused: boolean): ModelFinish['finishReason'] | undefined {
  if (reason === undefined || reason === UNFINISHED) return undefined;
  // Providers report a refusal as an ordinary stop.
  return reason === 'stop' && isRefused ? 'content_filter' : (REASONS.get(reason) ?? 'other');
}

function usageOf(usage: Fields | undefined, tokens: (count: number) => number): UsageMetadata | null {
  if (usage === undefined) return null;
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = usage;
  const input = tokens(numberOf(usage.prompt_tokens));
  const output = tokens(numberOf(usage.completion_tokens));
  const ofPrompt = isFields(prompt) ? prompt : {};
  const ofCompletion = isFields(completion) ? completion : {};
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_token_details: {
      cache_read: tokens(numberOf(usage.prompt_cache_hit_tokens ?? ofPrompt.cached_tokens)),
      cache_creation: tokens(numberOf(ofPrompt.cache_write_tokens)),
    },
    output_token_details: { reasoning: tokens(numberOf(ofCompletion.reasoning_tokens)) },
  };
}

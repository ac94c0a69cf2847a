// The built-in model: offline and deterministic. It says what it is, and uses the real tools.
import { createHash } from 'node:crypto';
import { type ToolCall, textOf, type UsageMetadata } from '../messages/message.ts';
import { type ComposedReply, composeReply } from './demo/compose-reply.ts';
import type { Model, ModelInfo, ModelPart, ModelRequest } from './model.ts';
import type { ModelOptions } from './model-options.ts';
import { priceOf } from './price-options.ts';
import { wait } from './wait.ts';

interface DemoModelDeps {
  /** Its `models:` entry; without one it is named `demo`. */
  readonly options?: Pick<ModelOptions, 'name' | 'model'> &
    Partial<Pick<ModelOptions, 'display_name' | 'description' | 'context_window' | 'price'>>;
  /** Milliseconds before each word, so that a person sees the reply stream in. */
  readonly delayMs?: number;
}

const CHARACTERS_PER_TOKEN = 4;

/** Never fails. Stops immediately when the signal aborts. Usage is estimated from the length of the text. */
export function createDemoModel({ options, delayMs = 15 }: DemoModelDeps = {}): Model {
  return {
    info: infoOf(options),
    stream: (request) => streamReply(composeReply(request), request, delayMs),
  };
}

function infoOf(options: DemoModelDeps['options']): ModelInfo {
  return {
    name: options?.name ?? 'demo',
    displayName: options?.display_name ?? 'Demo (offline)',
    description:
      options?.description ??
      'Works without a key: fixed rules instead of a language model, with the real tools.',
    model: options?.model ?? 'demo',
    provider: 'demo',
    supportsThinking: true,
    supportsVision: false,
    contextWindow: options?.context_window,
    price: priceOf(options?.price),
  };
}

async function* streamReply(
  reply: ComposedReply,
  request: ModelRequest,
  delayMs: number,
): AsyncGenerator<ModelPart> {
  request.signal.throwIfAborted();
  for (const text of wordsOf(reply.reasoning)) {
    await pause(delayMs, request.signal);
    yield { type: 'reasoning_delta', text };
  }
  for (const text of wordsOf(reply.text)) {
    await pause(delayMs, request.signal);
    yield { type: 'text_delta', text };
  }
  const toolCalls = reply.calls.map(
    (call, index): ToolCall => ({
      type: 'tool_call',
      id: callId(`${reply.seed}:${index}`),
      ...call,
    }),
  );
  for (const [index, call] of toolCalls.entries()) {
    yield { type: 'tool_call_delta', index, id: call.id, name: call.name, args: '' };
    for (const args of JSON.stringify(call.args).match(/[\s\S]{1,24}/g) ?? []) {
      await pause(delayMs, request.signal);
      yield { type: 'tool_call_delta', index, args };
    }
  }
  const finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  yield {
    type: 'finish',
    finishReason,
    toolCalls,
    usage: usageOf(request, reply),
    providerMetadata: undefined,
  };
}

async function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (delayMs > 0) await wait(delayMs, signal);
}

/** Splits into words, each with the space before it. Space after the last word belongs to it. */
function wordsOf(text: string): readonly string[] {
  const said = text.trimEnd();
  if (said === '') return [];
  const words = said.split(/(?<=\S)(?=\s)/);
  return [...words.slice(0, -1), (words.at(-1) ?? '') + text.slice(said.length)];
}

function callId(seed: string): string {
  return `call_${createHash('sha256').update(seed).digest('hex').slice(0, 24)}`;
}

function usageOf(request: ModelRequest, reply: ComposedReply): UsageMetadata {
  const tools = request.tools.reduce((sum, tool) => sum + tool.name.length + tool.description.length, 0);
  const messages = request.messages.reduce((sum, message) => sum + textOf(message.content).length, 0);
  const calls = reply.calls.reduce(
    (sum, call) => sum + call.name.length + JSON.stringify(call.args).length,
    0,
  );
  const input = tokens(request.system.length + tools + messages);
  const reasoning = reply.reasoning === '' ? 0 : tokens(reply.reasoning.length);
  const output = reasoning + tokens(reply.text.length + calls);
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    output_token_details: { reasoning },
  };
}

function tokens(characters: number): number {
  return Math.max(1, Math.ceil(characters / CHARACTERS_PER_TOKEN));
}

// One call of a model in a test: its request and its whole reply.
import { aiMessage, humanMessage, type Message, toolMessage } from '../../src/messages/message.ts';
import type { CallDeps } from '../../src/models/calls/call-model.ts';
import { createProviderModel } from '../../src/models/create-models.ts';
import {
  type Model,
  ModelError,
  type ModelFinish,
  type ModelPart,
  type ModelRequest,
} from '../../src/models/model.ts';
import { modelOptionsSchema, type ProviderOptions } from '../../src/models/model-options.ts';

type EntryInput = Partial<Parameters<typeof modelOptionsSchema.parse>[0] & object> & Record<string, unknown>;

function entry(fields: EntryInput): ProviderOptions {
  const options = modelOptionsSchema.parse({
    name: 'test',
    provider: 'openai-compatible',
    model: 'test-model',
    api_key: 'sk-test-canary-key',
    ...fields,
  });
  const { provider } = options;
  if (provider === 'demo') throw new Error('the demo model has no provider');
  return { ...options, provider };
}

/** Returns a model whose waits between attempts are short and constant. */
export function testModel(fields: EntryInput, deps: CallDeps = {}): Model {
  return createProviderModel(entry(fields), {
    backoff: { baseMs: 4, capMs: 8 },
    random: () => 0.5,
    ...deps,
  });
}

export function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: 'Be brief.',
    messages: [humanMessage('h1', 'hello')],
    tools: [],
    thinking: false,
    signal: new AbortController().signal,
    ...fields,
  };
}

export interface Outcome {
  readonly parts: readonly ModelPart[];
  readonly text: string;
  readonly reasoning: string;
  readonly finish: ModelFinish | undefined;
  /** The error that the call threw. */
  readonly error: unknown;
}

/** Reads a call to its end; `onPart` may act in between. */
export async function outcomeOf(
  model: Model,
  fields: Partial<ModelRequest> = {},
  onPart: (part: ModelPart) => void = () => undefined,
): Promise<Outcome> {
  const parts: ModelPart[] = [];
  let error: unknown;
  try {
    for await (const part of model.stream(request(fields))) {
      parts.push(part);
      onPart(part);
    }
  } catch (thrown) {
    error = thrown;
  }
  const last = parts.at(-1);
  return {
    parts,
    text: parts.map((part) => (part.type === 'text_delta' ? part.text : '')).join(''),
    reasoning: parts.map((part) => (part.type === 'reasoning_delta' ? part.text : '')).join(''),
    finish: last?.type === 'finish' ? last : undefined,
    error,
  };
}

export function modelError(outcome: Outcome): ModelError {
  if (outcome.error instanceof ModelError) return outcome.error;
  throw new Error(`no ModelError but ${String(outcome.error)}`);
}

export function retriesOf(outcome: Outcome) {
  return outcome.parts.filter((part) => part.type === 'retry');
}

/** Returns a thread with one tool call and its result. */
export function threadWithTool(): Message[] {
  const call = { type: 'tool_call', id: 'call_a', name: 'read_file', args: { path: '/a' } } as const;
  return [
    humanMessage('h1', 'read it'),
    aiMessage('a1', 'Reading.', { tool_calls: [call] }),
    toolMessage('t1', call, { content: 'the file' }),
    humanMessage('h2', 'thanks'),
  ];
}

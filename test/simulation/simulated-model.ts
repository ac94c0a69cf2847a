// A model of the simulation: what it answers follows from the prompt, when it does is chance.
import type { JsonObject, Message, ToolCall } from '../../src/messages/message.ts';
import type { Model, ModelFinish, ModelPart, ModelRequest } from '../../src/models/model.ts';
import { pause, type Timers } from '../../src/timers.ts';
import type { World } from './world.ts';

/** Questions that begin so make it call three tools at once before it answers. */
export const USE_TOOLS = 'use';
/** One that makes it give tasks of either kind to two sub-agents. */
export const DELEGATE = 'delegate';
/** So few that threads of some turns are summarised, the prompt of an answer counting ten a message. */
const WINDOW = 60;
const OUTPUT_TOKENS = 3;

export function createSimulatedModel({ random, faults }: World, timers: Timers): Model {
  async function* stream({ messages, signal }: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    const finish = finishFor(messages);
    const words = finish.toolCalls.length > 0 ? ['so '] : ['this ', 'is ', 'the ', 'answer'];
    for (const text of words) {
      await abortable(pause(timers, random.chance(faults.stall) ? 1_500 : random.below(30)), signal);
      yield { type: 'text_delta', text };
    }
    yield finish;
  }
  return {
    info: {
      name: 'simulated',
      displayName: 'Simulated',
      description: undefined,
      model: 'simulated',
      provider: 'simulated',
      supportsThinking: false,
      supportsVision: false,
      contextWindow: WINDOW,
    },
    stream,
  };
}

function finishFor(messages: readonly Message[]): ModelFinish {
  const asked = messages.findLastIndex(({ type }) => type === 'human');
  const question = messages[asked];
  const hasResults = messages.slice(asked).some(({ type }) => type === 'tool');
  const calls = hasResults ? [] : callsFor(String(question?.content), question?.id);
  return {
    type: 'finish',
    finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
    toolCalls: calls,
    usage: usageOf(10 * messages.length),
    providerMetadata: undefined,
  };
}

function callsFor(question: string, id: string | undefined): readonly ToolCall[] {
  const call = (key: string, name: string, args: JsonObject): ToolCall => {
    return { type: 'tool_call', id: `${id}-${key}`, name, args };
  };
  if (question.startsWith(USE_TOOLS)) return ['look', 'put', 'send'].map((name) => call(name, name, {}));
  if (question !== DELEGATE) return [];
  return [`${USE_TOOLS} tools`, 'a question'].map((prompt, index) =>
    call(`task${index}`, 'task', { description: prompt, prompt, subagent_type: 'general-purpose' }),
  );
}

function usageOf(input: number): ModelFinish['usage'] {
  return { input_tokens: input, output_tokens: OUTPUT_TOKENS, total_tokens: input + OUTPUT_TOKENS };
}

async function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

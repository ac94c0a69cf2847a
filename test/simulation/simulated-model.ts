// A model of the simulation: what it answers follows from the prompt, when it does is chance.
import type { Message } from '../../src/messages/message.ts';
import type { Model, ModelFinish, ModelPart, ModelRequest } from '../../src/models/model.ts';
import { pause, type Timers } from '../../src/runs/timers.ts';
import type { World } from './world.ts';

/** Questions that begin so make it call three tools at once before it answers. */
export const USE_TOOLS = 'use';
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
      maxTokens: 1_000,
      contextWindow: WINDOW,
    },
    stream,
  };
}

function finishFor(messages: readonly Message[]): ModelFinish {
  const asked = messages.findLastIndex(({ type }) => type === 'human');
  const question = messages[asked];
  const usesTools = String(question?.content).startsWith(USE_TOOLS);
  const hasResults = messages.slice(asked).some(({ type }) => type === 'tool');
  const names = usesTools && !hasResults ? ['look', 'put', 'send'] : [];
  return {
    type: 'finish',
    finishReason: names.length > 0 ? 'tool_calls' : 'stop',
    toolCalls: names.map((name) => ({ type: 'tool_call', id: `${question?.id}-${name}`, name, args: {} })),
    usage: usageOf(10 * messages.length),
    providerMetadata: undefined,
  };
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

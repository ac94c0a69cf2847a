// A model of the simulation: what it answers follows from the prompt, when it does is chance.
import type { Message } from '../../src/messages/message.ts';
import type { Model, ModelFinish, ModelPart, ModelRequest } from '../../src/models/model.ts';
import { pause, type Timers } from '../../src/runs/timers.ts';
import type { World } from './world.ts';

/** Questions that begin so make it call three tools at once before it answers. */
export const USE_TOOLS = 'use';
const USAGE = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };

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
      contextWindow: undefined,
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
    usage: USAGE,
    providerMetadata: undefined,
  };
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

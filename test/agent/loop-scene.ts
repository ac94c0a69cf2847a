// The loop by itself, with a scripted model: its events, and why it stopped.
import { z } from 'zod';
import type { AgentInput, RunOptions } from '../../src/agent/agent.ts';
import type { AgentEvent, AgentStop, Emit } from '../../src/agent/agent-event.ts';
import { createAgent } from '../../src/agent/agent-loop.ts';
import type { Middleware } from '../../src/agent/middleware.ts';
import { humanMessage } from '../../src/messages/message.ts';
import { foldDelta, type ThreadState } from '../../src/messages/thread-state.ts';
import type { Model } from '../../src/models/model.ts';
import { defineTool, result, type Tool, type ToolContext, type ToolEffect } from '../../src/tools/tool.ts';

export interface Scene {
  readonly model: Model;
  readonly tools?: readonly Tool[];
  readonly middleware?: readonly Middleware[];
  readonly input?: Partial<AgentInput>;
  readonly toolCallsAtOnce?: number;
}

export const OPTIONS: RunOptions = {
  thinking: false,
  planMode: false,
  recursionLimit: 10,
  interruptBefore: [],
  interruptAfter: [],
};
const QUESTION: ThreadState = { messages: [humanMessage('h1', 'hi')], values: {} };

export function run(
  { model, tools = [], middleware = [], input = {}, toolCallsAtOnce = 16 }: Scene,
  emit: Emit,
): Promise<AgentStop> {
  let id = 0;
  const agent = createAgent({
    toolCalls: { atOnce: toolCallsAtOnce, most: 128, maxCharacters: 100_000 },
    caller: 'lead_agent',
    model,
    tools,
    middleware,
    systemPrompt: () => 'Be brief.',
    now: () => 0,
    newId: () => `id${++id}`,
  });
  const asked: AgentInput = {
    threadId: 't',
    runId: 'r',
    userId: 'u',
    namespace: '',
    state: QUESTION,
    step: 0,
    start: { kind: 'input' },
    options: OPTIONS,
    signal: new AbortController().signal,
    ...input,
  };
  return agent.run(asked, emit);
}

export async function outcomeOf(scene: Scene): Promise<{ events: AgentEvent[]; stop: AgentStop }> {
  const events: AgentEvent[] = [];
  const stop = await run(scene, (event) => {
    events.push(event);
    return undefined;
  });
  return { events, stop };
}

export const eventsOf = async (scene: Scene) => (await outcomeOf(scene)).events;

export function finalState(events: readonly AgentEvent[], before: ThreadState = QUESTION): ThreadState {
  return events.reduce(
    (state, event) => (event.type === 'state' ? foldDelta(state, event.delta).state : state),
    before,
  );
}

export function tool(
  name: string,
  run: (signal: AbortSignal, report: ToolContext['emit']) => Promise<string>,
  effect: ToolEffect = 'read',
): Tool {
  return defineTool({
    name,
    description: name,
    input: z.object({}),
    effect,
    run: async (_, { signal, emit }) => result(await run(signal, emit)),
  });
}

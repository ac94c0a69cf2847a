// Runs the tool calls of one answer: arguments checked, in parallel, every call with exactly one result.
import type { Interrupt } from '../messages/interrupt.ts';
import { type Json, type ToolCall, toolMessage } from '../messages/message.ts';
import { failure, RunInterrupt, type Tool, type ToolContext, type ToolOutcome } from '../tools/tool.ts';
import type { Answers, UnfinishedStep } from './agent.ts';
import type { AgentEvent, ToolEnd } from './agent-event.ts';
import { interruptIn } from './interrupts.ts';
import { mergedEvents } from './merged-events.ts';

export interface ToolStep {
  readonly userId: string;
  readonly threadId: string;
  readonly runId: string;
  readonly calls: readonly ToolCall[];
  readonly tools: ReadonlyMap<string, Tool>;
  /** Round every call; composed of the middleware. */
  readonly wrap: (call: ToolCall, run: (call: ToolCall) => Promise<ToolOutcome>) => Promise<ToolOutcome>;
  readonly unfinished: UnfinishedStep | undefined;
  readonly answers: Answers;
  readonly signal: AbortSignal;
  readonly newId: () => string;
}

/** Calls that ask the person have no end yet. */
export interface ToolsOutcome {
  readonly ends: readonly ToolEnd[];
  readonly interrupts: readonly Interrupt[];
}

const OUTCOME_UNKNOWN =
  'Error: the service stopped while this tool was running, and it is not known whether it took effect. ' +
  'It was not run again. Check what happened before you repeat the call.';
const CANCELLED = 'Error: the run was cancelled before this tool finished.';

/** Yields what the tools report as it happens; answers the results in the order of the calls. */
export async function* executeTools(step: ToolStep): AsyncGenerator<AgentEvent, ToolsOutcome, void> {
  const ends = new Map<string, ToolEnd>();
  const interrupts: Interrupt[] = [];
  for (const end of step.unfinished?.toolEnds ?? []) ends.set(end.message.tool_call_id, end);
  const pending = step.calls.filter((call) => !ends.has(call.id));
  for (const call of pending.filter((it) => wasStartedOnce(step, it))) {
    const end = toolEnd(step, call, failure(OUTCOME_UNKNOWN));
    ends.set(call.id, end);
    yield { type: 'custom', data: { type: 'tool_outcome_unknown', tool_call_id: call.id, name: call.name } };
    yield end;
  }
  const runnable = pending.filter((call) => !ends.has(call.id));
  if (runnable.length > 0) yield* runAll(step, runnable, { ends, interrupts });
  return { ends: step.calls.flatMap((call) => ends.get(call.id) ?? []), interrupts };
}

function wasStartedOnce(step: ToolStep, call: ToolCall): boolean {
  const started = step.unfinished?.startedCallIds.has(call.id) ?? false;
  return started && step.tools.get(call.name)?.effect === 'once';
}

async function* runAll(
  step: ToolStep,
  calls: readonly ToolCall[],
  results: { readonly ends: Map<string, ToolEnd>; readonly interrupts: Interrupt[] },
): AsyncGenerator<AgentEvent, void, void> {
  yield {
    type: 'tools_start',
    calls: calls.map((call) => ({ call, effect: step.tools.get(call.name)?.effect ?? 'read' })),
  };
  const events = mergedEvents<AgentEvent>(
    calls.map((call) => async (emit) => {
      const outcome = await runCall(step, call, (data) => emit({ type: 'custom', data }));
      if (outcome.kind === 'interrupt') {
        results.interrupts.push(outcome.interrupt);
        return;
      }
      const end = toolEnd(step, call, outcome);
      results.ends.set(call.id, end);
      emit(end);
    }),
  );
  yield* events;
}

type CallOutcome = ToolOutcome | { readonly kind: 'interrupt'; readonly interrupt: Interrupt };

async function runCall(step: ToolStep, call: ToolCall, emit: (data: Json) => void): Promise<CallOutcome> {
  if (step.signal.aborted) return failure(CANCELLED);
  try {
    return await abortable(
      step.signal,
      step.wrap(call, (it) => runTool(step, it, emit)),
    );
  } catch (error) {
    if (error instanceof RunInterrupt) return { kind: 'interrupt', interrupt: error.interrupt };
    if (step.signal.aborted) return failure(CANCELLED);
    const reason = error instanceof Error ? error.message : String(error);
    return failure(
      `Error: Tool '${call.name}' failed: ${reason.slice(0, 500)}. ` +
        'Go on with what you have, or choose another tool.',
    );
  }
}

async function runTool(step: ToolStep, call: ToolCall, emit: (data: Json) => void): Promise<ToolOutcome> {
  const tool = step.tools.get(call.name);
  if (tool === undefined) {
    const names = [...step.tools.keys()].join(', ');
    return failure(`Error: there is no tool named '${call.name}'. The tools are: ${names}.`);
  }
  const parsed = tool.parse(call.args);
  if (!parsed.ok) return failure(`Error: the arguments of '${call.name}' are not valid.\n${parsed.problem}`);
  const { userId, threadId, runId, signal } = step;
  const interrupt = interruptIn(call.id, step.answers);
  const context: ToolContext = { userId, threadId, runId, callId: call.id, signal, emit, interrupt };
  return parsed.run(context);
}

/** A tool that does not listen to its signal must not hold up the cancellation. */
async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

export function toolEnd(step: Pick<ToolStep, 'newId'>, call: ToolCall, outcome: ToolOutcome): ToolEnd {
  const id = step.newId();
  switch (outcome.kind) {
    case 'result': {
      const { content, artifact = null, values = {} } = outcome;
      return {
        type: 'tool_end',
        message: toolMessage(id, call, { content, artifact }),
        values,
        awaitsInput: false,
      };
    }
    case 'failure': {
      const message = toolMessage(id, call, { content: outcome.message, status: 'error' });
      return { type: 'tool_end', message, values: {}, awaitsInput: false };
    }
    case 'question': {
      const message = toolMessage(id, call, outcome);
      return { type: 'tool_end', message, values: {}, awaitsInput: true };
    }
    default:
      return outcome satisfies never;
  }
}

// Runs the tool calls of one answer: arguments checked, in parallel, every call with exactly one result.
import { ServiceError } from '../errors.ts';
import { innerNamespace } from '../messages/agent-namespace.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import { type Json, type ToolCall, toolMessage } from '../messages/message.ts';
import { failure, RunInterrupt, type ToolContext, type ToolOutcome } from '../tools/tool.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';
import type { Answers, UnfinishedStep } from './agent.ts';
import type { Emit, ToolEnd, ToolsStart } from './agent-event.ts';
import type { AgentTool, DelegatingTool } from './delegating-tool.ts';
import { interruptIn } from './interrupts.ts';

export interface ToolStep {
  readonly userId: string;
  readonly threadId: string;
  readonly runId: string;
  /** Of the agent whose calls these are. */
  readonly namespace: string;
  readonly calls: readonly ToolCall[];
  /** How many of them run at the same time; the others wait in their order. */
  readonly atOnce: number;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly seesImages: boolean;
  readonly knownFiles: KnownVersions;
  /** What the result of each call may add to the prompt, in characters. */
  readonly maxCharacters: number;
  readonly unfinished: UnfinishedStep | undefined;
  readonly answers: Answers;
  readonly signal: AbortSignal;
  readonly newId: () => string;
}

/** Both in the order of the calls. Calls that ask the person have no end yet. */
export interface ToolsOutcome {
  readonly ends: readonly ToolEnd[];
  readonly interrupts: readonly Interrupt[];
}

const OUTCOME_UNKNOWN =
  'Error: the service stopped while this tool was running, and it is not known whether it took effect. ' +
  'It was not run again. Check what happened before you repeat the call.';
const CANCELLED = 'Error: the run was cancelled before this tool finished.';

/** Emits what the tools report as it happens. */
export async function executeTools(step: ToolStep, emit: Emit): Promise<ToolsOutcome> {
  const ends = new Map<string, ToolEnd>();
  const asked = new Map<string, readonly Interrupt[]>();
  for (const end of step.unfinished?.toolEnds ?? []) ends.set(end.message.tool_call_id, end);
  const pending = step.calls.filter((call) => !ends.has(call.id));
  for (const call of pending.filter((it) => wasStartedOnce(step, it))) {
    const end = { ...toolEnd(step, call, failure(OUTCOME_UNKNOWN)), isOutcomeUnknown: true } as const;
    ends.set(call.id, end);
    const data = { type: 'tool_outcome_unknown', tool_call_id: call.id, name: call.name };
    await emit({ type: 'custom', data });
    await emit(end);
  }
  const runnable = pending.filter((call) => !ends.has(call.id));
  if (runnable.length > 0) await runAll(step, runnable, { ends, asked, emit });
  return {
    ends: step.calls.flatMap((call) => ends.get(call.id) ?? []),
    interrupts: step.calls.flatMap((call) => asked.get(call.id) ?? []),
  };
}

function wasStartedOnce(step: ToolStep, call: ToolCall): boolean {
  const started = step.unfinished?.startedCallIds.has(call.id) ?? false;
  return started && step.tools.get(call.name)?.effect === 'once';
}

interface Results {
  readonly ends: Map<string, ToolEnd>;
  /** What each call asks the person. */
  readonly asked: Map<string, readonly Interrupt[]>;
  readonly emit: Emit;
}

async function runAll(
  step: ToolStep,
  calls: readonly ToolCall[],
  { ends, asked, emit }: Results,
): Promise<void> {
  const first = new Set(calls.slice(0, step.atOnce));
  await emit(startOf(step, [...first]));
  await inPool(calls, step.atOnce, async (call) => {
    // A call that waited is reported when its turn comes: until then it has no effect that a crash could leave behind.
    if (!first.has(call) && !step.signal.aborted) await emit(startOf(step, [call]));
    const outcome = await runCall(step, call, emit);
    if (outcome.kind === 'interrupts') {
      asked.set(call.id, outcome.interrupts);
      return;
    }
    const end = toolEnd(step, call, outcome);
    ends.set(call.id, end);
    await emit(end);
  });
}

/** Begins the work in its order, so many at the same time. When one fails, none of those that wait is begun. */
async function inPool<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  try {
    await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  } catch (error) {
    waiting.length = 0;
    throw error;
  }
}

function startOf(step: ToolStep, calls: readonly ToolCall[]): ToolsStart {
  const effectOf = (call: ToolCall) => step.tools.get(call.name)?.effect ?? 'read';
  return { type: 'tools_start', calls: calls.map((call) => ({ call, effect: effectOf(call) })) };
}

type CallOutcome = ToolOutcome | { readonly kind: 'interrupts'; readonly interrupts: readonly Interrupt[] };

async function runCall(step: ToolStep, call: ToolCall, emit: Emit): Promise<CallOutcome> {
  if (step.signal.aborted) return failure(CANCELLED);
  try {
    return await runTool(step, call, emit);
  } catch (error) {
    if (error instanceof RunInterrupt) return { kind: 'interrupts', interrupts: error.interrupts };
    if (step.signal.aborted) return failure(CANCELLED);
    return failure(
      `Error: Tool '${call.name}' failed: ${reasonOf(error).slice(0, 500)}. ` +
        'Go on with what you have, or choose another tool.',
    );
  }
}

/** System and Node error messages contain paths of this machine, so only their code is shown. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error).replace(/\.$/, '');
  const code = 'code' in error && !(error instanceof ServiceError) ? error.code : undefined;
  return typeof code === 'string'
    ? `the service could not do it (${code})`
    : error.message.replace(/\.$/, '');
}

async function runTool(step: ToolStep, call: ToolCall, emit: Emit): Promise<ToolOutcome> {
  const tool = step.tools.get(call.name);
  if (tool === undefined) {
    const names = [...step.tools.keys()].join(', ');
    return failure(`Error: there is no tool named '${call.name}'. The tools are: ${names}.`);
  }
  if ('delegate' in tool) return runDelegation(step, { tool, call }, emit);
  const parsed = tool.parse(call.args);
  if (!parsed.ok) return failure(invalidArguments(call, parsed.problem));
  const { userId, threadId, runId, signal, seesImages, knownFiles, maxCharacters } = step;
  // A tool that does not listen to its signal may go on behind its result.
  let isOver = false;
  const report = async (data: Json): Promise<void> => {
    if (!isOver) await emit({ type: 'custom', data });
  };
  const context: ToolContext = {
    userId,
    threadId,
    runId,
    seesImages,
    knownFiles,
    maxCharacters,
    callId: call.id,
    signal,
    // Progress never blocks; a consumer that stops reading it misses nothing.
    emit: (data) => void report(data).catch(() => {}),
    interrupt: interruptIn(call.id, step.answers),
  };
  try {
    return await abortable(signal, parsed.run(context));
  } finally {
    isOver = true;
  }
}

function invalidArguments({ name }: ToolCall, problem: string): string {
  return `Error: the arguments of '${name}' are not valid.\n${problem}`;
}

/** Not cut off by the signal: an agent listens to it, and what it reports of its end is kept. */
async function runDelegation(
  step: ToolStep,
  { tool, call }: { readonly tool: DelegatingTool; readonly call: ToolCall },
  emit: Emit,
): Promise<ToolOutcome> {
  const parsed = tool.delegate(call.args);
  if (!parsed.ok) return failure(invalidArguments(call, parsed.problem));
  const { userId, threadId, runId, answers, signal, unfinished } = step;
  const namespace = innerNamespace(step.namespace, call.id);
  const subagents = unfinished?.subagents ?? new Map();
  const progress = subagents.get(namespace);
  const context = { userId, threadId, runId, callId: call.id, namespace, progress, subagents };
  return parsed.run({ ...context, answers, signal }, emit);
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
      const { content, artifact = null, values = {}, begins } = outcome;
      return {
        type: 'tool_end',
        message: toolMessage(id, call, { content, artifact }),
        values,
        awaitsInput: false,
        ...(begins === undefined ? {} : { begins }),
      };
    }
    case 'failure': {
      const { message: content, artifact = null } = outcome;
      const message = toolMessage(id, call, { content, artifact, status: 'error' });
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

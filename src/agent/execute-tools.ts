// Runs the tool calls of one message: checks arguments, runs in parallel, gives every call one result.
import { ServiceError } from '../errors.ts';
import { innerNamespace } from '../messages/agent-namespace.ts';
import type { Interrupt } from '../messages/interrupt.ts';
import { type Json, type ToolCall, toolMessage } from '../messages/message.ts';
import { failure, RunInterrupt, type ToolContext, type ToolOutcome } from '../tools/tool.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';
import type { Answers, UnfinishedStep } from './agent.ts';
import type { Emit, ToolEnd, ToolsStart } from './agent-event.ts';
import type { AgentTool, DelegatingTool } from './delegating-tool.ts';
import { interruptIn } from './interrupts.ts';
import type { HookContext } from './middleware.ts';

export interface ToolStep {
  readonly context: HookContext;
  /** The namespace of the agent whose calls these are. */
  readonly namespace: string;
  readonly calls: readonly ToolCall[];
  readonly limits: ToolCallLimits;
  readonly tools: ReadonlyMap<string, AgentTool>;
  readonly seesImages: boolean;
  readonly knownFiles: KnownVersions;
  /** Characters that the result of each call may add to the prompt. */
  readonly maxCharacters: number;
  readonly unfinished: UnfinishedStep | undefined;
  readonly answers: Answers;
  readonly newId: () => string;
}

export interface ToolCallLimits {
  /** Calls of a message that run at the same time; the others wait in order. */
  readonly atOnce: number;
  /** Calls of a message that run; those beyond get an error. */
  readonly most: number;
  /** Characters that the results of a message's calls may add to the prompt together. */
  readonly maxCharacters: number;
}

/** Both in the order of the calls. Calls that ask the person have no end yet. */
interface ToolsOutcome {
  readonly ends: readonly ToolEnd[];
  readonly interrupts: readonly Interrupt[];
}

const OUTCOME_UNKNOWN =
  'Error: the service stopped while this tool was running, and it is not known whether it took effect. ' +
  'It was not run again. Check what happened before you repeat the call.';
const CANCELLED = 'Error: the run was cancelled before this tool finished.';

/** Runs the calls, and emits what the tools report as it happens. */
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
  readonly asked: Map<string, readonly Interrupt[]>;
  readonly emit: Emit;
}

async function runAll(
  step: ToolStep,
  calls: readonly ToolCall[],
  { ends, asked, emit }: Results,
): Promise<void> {
  const { limits, context } = step;
  const first = new Set(calls.slice(0, limits.atOnce));
  await emit(startOf(step, [...first]));
  await inPool(calls, limits.atOnce, async (call) => {
    // A waiting call is reported when its turn comes: until then, a crash leaves no effect of it.
    if (!first.has(call) && !context.signal.aborted) await emit(startOf(step, [call]));
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

/** Begins the work in order, at most `atOnce` items at a time. After a failure, no more are begun. */
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
  const { signal } = step.context;
  if (signal.aborted) return failure(CANCELLED);
  try {
    return await runTool(step, call, emit);
  } catch (error) {
    if (error instanceof RunInterrupt) return { kind: 'interrupts', interrupts: error.interrupts };
    if (signal.aborted) return failure(CANCELLED);
    return failure(
      `Error: Tool '${call.name}' failed: ${reasonOf(error).slice(0, 500)}. ` +
        'Continue with what you have, or choose another tool.',
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
  const { seesImages, knownFiles, maxCharacters } = step;
  const { userId, threadId, runId, signal } = step.context;
  // A tool that ignores its signal may continue after its result.
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
    // A tool that ignores the signal cannot hold up the cancellation.
    return await unlessAborted(signal, parsed.run(context));
  } finally {
    isOver = true;
  }
}

function invalidArguments({ name }: ToolCall, problem: string): string {
  return `Error: the arguments of '${name}' are not valid.\n${problem}`;
}

/** Does not cut the agent off at an abort: it reacts to the signal, and the end that it reports is kept. */
async function runDelegation(
  step: ToolStep,
  { tool, call }: { readonly tool: DelegatingTool; readonly call: ToolCall },
  emit: Emit,
): Promise<ToolOutcome> {
  const parsed = tool.delegate(call.args);
  if (!parsed.ok) return failure(invalidArguments(call, parsed.problem));
  const { userId, threadId, runId, signal } = step.context;
  const namespace = innerNamespace(step.namespace, call.id);
  const subagents = step.unfinished?.subagents ?? new Map();
  const context = { userId, threadId, runId, callId: call.id, namespace, subagents, signal };
  return parsed.run({ ...context, progress: subagents.get(namespace), answers: step.answers }, emit);
}

export function toolEnd(step: Pick<ToolStep, 'newId'>, call: ToolCall, outcome: ToolOutcome): ToolEnd {
  const result =
    outcome.kind === 'failure'
      ? ({ ...outcome, content: outcome.message, status: 'error' } as const)
      : outcome;
  const { values = {}, begins } = outcome.kind === 'result' ? outcome : {};
  return {
    type: 'tool_end',
    message: toolMessage(step.newId(), call, result),
    values,
    awaitsInput: outcome.kind === 'question',
    ...(begins === undefined ? {} : { begins }),
  };
}

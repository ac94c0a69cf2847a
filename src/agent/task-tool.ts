// The `task` tool: hands a piece of work to a sub-agent and brings its answer back.
import { z } from 'zod';
import { createFairShare, type FairShare } from '../fair-share/fair-share.ts';
import { failure, inputSchemaOf, type ToolOutcome } from '../tools/tool.ts';
import type { Agent, RunOptions } from './agent.ts';
import type { Emit } from './agent-event.ts';
import type { DelegatingTool, DelegationContext, DelegationEvent } from './delegating-tool.ts';
import { runSubagent, type SubagentWork } from './subagent.ts';

export interface TaskToolParts {
  readonly spec: TaskSpec;
  /** By name: `general-purpose`, and those that are configured. */
  readonly kindOf: (name: string) => SubagentKind | undefined;
  /** Sub-agents of one agent that work at the same time; further calls wait for their turn. */
  readonly maxConcurrent: number;
  /** Absent: every task is done within the run. */
  readonly background?: BackgroundLimits | undefined;
  readonly newId: () => string;
}

/** How many background tasks one thread may have. */
export interface BackgroundLimits {
  readonly maxPerThread: number;
  /** The ids of the tasks whose results are not reported yet. */
  readonly openIds: (place: Pick<DelegationContext, 'userId' | 'threadId'>) => Promise<readonly string[]>;
}

/** How the sub-agents of one kind work. */
export interface SubagentKind {
  /** A new one for each task: what its middleware remembers is its own. */
  readonly createAgent: () => Agent;
  readonly options: RunOptions;
  readonly timeoutMs: number;
}

/** The kind of sub-agent that comes with the service. */
export const SUBAGENT = 'general-purpose';

const MAX_PROMPT_CHARACTERS = 100_000;

/** What models read of the tool, and what is accepted of them. */
export interface TaskSpec extends Pick<DelegatingTool, 'name' | 'description' | 'effect' | 'inputSchema'> {
  readonly accepted: ReturnType<typeof acceptedOf>;
}

const inputOf = (types: readonly string[]) =>
  z.object({
    description: z.string().trim().min(1).max(200).describe('What the task is, in three to eight words'),
    prompt: z
      .string()
      .trim()
      .min(1)
      .max(MAX_PROMPT_CHARACTERS)
      .describe('Everything the sub-agent has to know: it sees nothing of this conversation'),
    subagent_type: z.enum(types).describe('Which sub-agent does it'),
  });

const backgroundInput = z
  .boolean()
  .optional()
  .describe('true: goes on behind your answer, and its result comes as a message later. Default: false');

/** A call that names no kind means the one that comes with the service. */
const acceptedOf = (types: readonly string[]) =>
  inputOf(types).extend({ subagent_type: z.enum(types).nullish(), background: z.boolean().nullish() });

/** Made once for the configured kinds: every run has a tool of its own. */
export function createTaskSpec(
  configured: Readonly<Record<string, { readonly description: string }>>,
  { background }: { readonly background: boolean },
): TaskSpec {
  const types = [SUBAGENT, ...Object.keys(configured)];
  const input = inputOf(types);
  const description = described(configured);
  return {
    name: 'task',
    description: background ? `${description}\n\n${BEHIND}` : description,
    effect: 'idempotent',
    inputSchema: inputSchemaOf(background ? input.extend({ background: backgroundInput }) : input),
    accepted: acceptedOf(types),
  };
}

function described(configured: Readonly<Record<string, { readonly description: string }>>): string {
  const lines = Object.entries(configured).map(([name, { description }]) => `\n- ${name}: ${description}`);
  return lines.length === 0 ? WHAT : `${WHAT} Kinds of sub-agents:\n- ${SUBAGENT}: any task${lines.join('')}`;
}

const WHAT =
  'Hands a task of several steps to a sub-agent, which works on its own with the same files and answers once. ' +
  'Use it for work that is large and can be described completely, several at once for parts that do not depend ' +
  'on each other. Do small things yourself.';

const BEHIND =
  'With background: true the call answers at once, and the sub-agent goes on behind your answer with the same files: for ' +
  'work that takes long and that the person need not wait for. It cannot ask the person anything.';

/** One for each run: the sub-agents that work at the same time are counted here. */
export function createTaskTool(parts: TaskToolParts): DelegatingTool {
  const { spec, kindOf } = parts;
  const { accepted, ...shared } = spec;
  // Most runs give no task.
  let places: FairShare | undefined;
  const begun = new Set<string>();
  return {
    ...shared,
    delegate: (args) => {
      const parsed = accepted.safeParse(args);
      if (!parsed.success) return { ok: false, problem: z.prettifyError(parsed.error) };
      const { description, prompt, subagent_type } = parsed.data;
      const name = subagent_type ?? SUBAGENT;
      const kind = kindOf(name);
      if (kind === undefined) return { ok: false, problem: `There is no sub-agent named '${name}'.` };
      places ??= placesOf(parts);
      const work = { ...kind, newId: parts.newId, places, name, description, prompt };
      const { background } = parts;
      if (parsed.data.background === true && background !== undefined)
        return { ok: true, run: (context, emit) => beginning(work, { background, begun, emit }, context) };
      return { ok: true, run: (context, emit) => delegation(work, context, emit) };
    },
  };
}

function placesOf({ maxConcurrent }: TaskToolParts): FairShare {
  return createFairShare({
    total: maxConcurrent,
    perOwner: maxConcurrent,
    // Calls of an answer are limited already, and each works for as long as it may.
    waitingPerOwner: Number.POSITIVE_INFINITY,
    longestWaitMs: Number.POSITIVE_INFINITY,
  });
}

interface Task extends SubagentKind, Pick<TaskToolParts, 'newId'> {
  readonly name: string;
  readonly places: FairShare;
  readonly description: string;
  readonly prompt: string;
}

async function delegation(
  { createAgent, options, timeoutMs, newId, places, name, description, prompt }: Task,
  context: DelegationContext,
  emit: Emit<DelegationEvent>,
): Promise<ToolOutcome> {
  const turn = await places.take(context.userId, context.signal);
  if (turn.kind !== 'given') return failure(CANCELLED);
  try {
    const limit = { options, timeoutMs };
    const task = { agent: createAgent(), name, description, prompt, limit, newId };
    return toolOutcome(name, await runSubagent(task, context, emit));
  } finally {
    turn.release();
  }
}

interface Beginning {
  readonly background: BackgroundLimits;
  /** Ids of those that this run has begun: they may not be written down yet. */
  readonly begun: Set<string>;
  readonly emit: Emit<DelegationEvent>;
}

/** Begins nothing itself: the task is begun by its result being written down. */
async function beginning(
  { newId, name: subagent, description, prompt }: Task,
  { background: { maxPerThread, openIds }, begun, emit }: Beginning,
  context: DelegationContext,
): Promise<ToolOutcome> {
  const open = new Set([...(await openIds(context)), ...begun]);
  if (open.size >= maxPerThread) return failure(`${TOO_MANY} ${maxPerThread}. ${INSTEAD}`);
  const taskId = newId();
  begun.add(taskId);
  const started = { task_id: taskId, tool_call_id: context.callId, description, subagent_type: subagent };
  await emit({ type: 'custom', data: { type: 'background_task_started', ...started } });
  return {
    kind: 'result',
    content: `Started in the background as task ${taskId}. Its result will come as a message; do not wait for it. Tell the person that it is under way.`,
    artifact: { background_task: { task_id: taskId, type: subagent, description } },
    begins: { taskId, threadId: newId(), subagent, description, prompt },
  };
}

const TOO_MANY = 'Error: too many tasks of this conversation go on in the background already; there may be';
const INSTEAD = 'Wait until one has ended, or give the task without background.';

const CANCELLED = 'Error: the run was cancelled before the sub-agent had finished.';

function toolOutcome(type: string, { status, text, steps }: SubagentWork): ToolOutcome {
  const artifact = { subagent: { type, status, steps } };
  switch (status) {
    case 'completed':
      return { kind: 'result', content: text, artifact };
    case 'failed':
      return failure(`Error: the sub-agent failed: ${text}`, artifact);
    case 'timed_out':
      return failure(`Error: the sub-agent was stopped: ${text}`, artifact);
    case 'cancelled':
      return failure(CANCELLED, artifact);
    default:
      return status satisfies never;
  }
}

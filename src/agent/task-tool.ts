// The `task` tool: gives a task to a sub-agent and returns its reply.
import { z } from 'zod';
import { createFairShare, type FairShare } from '../fair-share/fair-share.ts';
import { failure, inputSchemaOf, type ToolOutcome } from '../tools/tool.ts';
import type { Agent, RunOptions } from './agent.ts';
import type { Emit } from './agent-event.ts';
import type { DelegatingTool, DelegationContext, DelegationEvent } from './delegating-tool.ts';
import { runSubagent, type SubagentWork } from './subagent.ts';

export interface TaskToolParts {
  readonly spec: TaskSpec;
  /** Finds a kind by name: `general-purpose` or a configured one. */
  readonly kindOf: (name: string) => SubagentKind | undefined;
  /** Sub-agents of one agent that work at the same time; further calls wait. */
  readonly maxConcurrent: number;
  /** Absent: every task is done within the run. */
  readonly background?: BackgroundLimits | undefined;
  readonly newId: () => string;
}

export interface BackgroundLimits {
  readonly maxPerThread: number;
  /** Returns the ids of the tasks whose results are not reported yet. */
  readonly openIds: (place: Pick<DelegationContext, 'userId' | 'threadId'>) => Promise<readonly string[]>;
}

export interface SubagentKind {
  /** Makes a new agent for each task, because its middleware has state. */
  readonly createAgent: () => Agent;
  readonly options: RunOptions;
  readonly timeoutMs: number;
}

/** The kind of sub-agent that comes with the service. */
export const SUBAGENT = 'general-purpose';

const MAX_PROMPT_CHARACTERS = 100_000;

/** What models read about the tool, and which arguments it accepts. */
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
      .describe('Everything the sub-agent needs to know: it sees nothing of this conversation'),
    subagent_type: z.enum(types).describe('Which sub-agent does it'),
  });

const backgroundInput = z
  .boolean()
  .optional()
  .describe('true: continues after your reply, and its result arrives later as a message. Default: false');

/** A call that names no kind means `general-purpose`. */
const acceptedOf = (types: readonly string[]) =>
  inputOf(types).extend({ subagent_type: z.enum(types).nullish(), background: z.boolean().nullish() });

/** Describes the tool, once for the configured kinds. Every run has its own tool. */
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
  'Hands a task of several steps to a sub-agent, which works on its own with the same files and replies once. ' +
  'Use it for work that is large and can be described completely, several at once for parts that do not depend ' +
  'on each other. Do small things yourself.';

const BEHIND =
  'With background: true the call returns immediately, and the sub-agent continues after your reply with the same files: for ' +
  'work that takes long and that the person need not wait for. It cannot ask the person anything.';

/** Creates the tool of one run, which counts the sub-agents that work at the same time. */
export function createTaskTool(parts: TaskToolParts): DelegatingTool {
  const { spec, kindOf } = parts;
  const { accepted, ...shared } = spec;
  // Made on first use, because most runs give no task.
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
    // The calls of a message are limited already, and each may take its full time.
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
  { createAgent, places, ...task }: Task,
  context: DelegationContext,
  emit: Emit<DelegationEvent>,
): Promise<ToolOutcome> {
  const work = () => runSubagent({ ...task, agent: createAgent() }, context, emit);
  const turn = await places.use(context.userId, context.signal, work);
  return turn.kind === 'done' ? toolOutcome(task.name, turn.result) : failure(CANCELLED);
}

interface Beginning {
  readonly background: BackgroundLimits;
  /** Ids of the tasks that this run has begun. They may not be stored yet. */
  readonly begun: Set<string>;
  readonly emit: Emit<DelegationEvent>;
}

/** Does not begin the task itself: it begins when the result is stored. */
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
    content: `Started in the background as task ${taskId}. Its result will arrive as a message; do not wait for it. Tell the person that it is in progress.`,
    artifact: { background_task: { task_id: taskId, type: subagent, description } },
    begins: { taskId, threadId: newId(), subagent, description, prompt },
  };
}

const TOO_MANY = 'Error: this conversation already has too many tasks in the background; the limit is';
const INSTEAD = 'Wait for one to end, or start the task without background.';

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
  }
}

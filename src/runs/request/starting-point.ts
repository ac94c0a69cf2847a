// Where a run starts: at the head or an older checkpoint, with new input, an answer, or remaining work.
import { z } from 'zod';
import type { AgentNode, Answers, FirstHooks } from '../../agent/agent.ts';
import type { PendingTask } from '../../agent/agent-event.ts';
import { replyToJudge } from '../../agent/goals/goal.ts';
import { askedAgain } from '../../agent/plan/reminders.ts';
import { isJsonObject, type Json } from '../../messages/message.ts';
import { NO_CHANGE, type StateDelta } from '../../messages/thread-state.ts';
import { withoutStaleSummary } from '../../messages/thread-summary.ts';
import type { CheckpointRecord } from '../../storage/checkpoints.ts';
import type { FormerHead, RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { type FoldedCheckpoint, NO_CHECKPOINT, type ThreadStates } from '../../storage/thread-states.ts';
import { ALREADY_ENDED, AWAITING_INPUT, COMPLETED, endingOf, type RunEnding } from '../log/run-ending.ts';
import type { RunCommand, StoredRequest } from './run-request.ts';

interface Beginning {
  readonly base: FoldedCheckpoint;
  readonly delta: StateDelta;
  /** The thread's former head, if that is not the base: the run is a branch. */
  readonly left?: FormerHead;
}

interface Resumption {
  readonly node: AgentNode;
  readonly answers: Answers;
  /** The checkpoints of the sub-agents that asked, by namespace. */
  readonly subagents: ReadonlyMap<string, string>;
}

export type StartingPoint =
  | (Beginning & { readonly kind: 'input' })
  | (Beginning & Resumption & { readonly kind: 'continue' })
  /** An earlier attempt of this run finished steps. `base` is the last of them. */
  | (Resumption & {
      readonly kind: 'recover';
      readonly base: FoldedCheckpoint;
      readonly firstHooks: FirstHooks;
    })
  /** Nothing remains but to end the run. */
  | (Beginning & {
      readonly kind: 'finished';
      readonly ending: RunEnding;
      /** Present when an earlier attempt did everything. `base` is the last of its steps. */
      readonly isRecovered?: true;
    })
  | { readonly kind: 'unusable'; readonly problem: string };

interface StartParts {
  readonly states: ThreadStates;
  readonly repositories: Repositories;
  readonly run: RunRecord;
  readonly request: StoredRequest;
}

export async function startingPoint(parts: StartParts): Promise<StartingPoint> {
  const { repositories, run } = parts;
  const current = await repositories.checkpoints.current(run.threadId);
  if (current === undefined) return unusable('The thread was deleted before the run started.');
  const start = await startingFrom(parts, current.head);
  if (start.kind === 'unusable') return start;
  // Also later than the checkpoints that the run leaves behind, whose clock may have been ahead.
  return { ...start, base: { ...start.base, createdAt: Math.max(start.base.createdAt, current.newestAt) } };
}

async function startingFrom(parts: StartParts, head: CheckpointRecord | undefined): Promise<StartingPoint> {
  const { repositories, run, request } = parts;
  if (head?.runId === run.runId) return recovered(parts, head);
  const headId = head?.checkpointId ?? null;
  const baseId = request.checkpointId ?? headId;
  if (baseId === null) return { kind: 'input', base: NO_CHECKPOINT, delta: inputOf(request) };
  const record = baseId === headId ? head : await checkpoint(parts, baseId);
  const base = record && (await parts.states.of(repositories.checkpoints, record));
  if (record === undefined || base === undefined)
    return unusable(`The thread has no checkpoint '${baseId}'.`);
  const start = started(request, record, base);
  return baseId === headId ? start : { ...start, left: { checkpointId: headId } };
}

async function checkpoint(
  { repositories, run }: StartParts,
  checkpointId: string | null,
): Promise<CheckpointRecord | undefined> {
  return checkpointId === null ? undefined : repositories.checkpoints.get(run.threadId, checkpointId);
}

function unusable(problem: string): StartingPoint {
  return { kind: 'unusable', problem };
}

function inputOf({ messages, command }: StoredRequest): StateDelta {
  const update = command?.update ?? NO_CHANGE;
  return { messages: [...update.messages, ...messages], values: update.values };
}

function started(
  request: StoredRequest,
  record: CheckpointRecord,
  base: FoldedCheckpoint,
): Extract<StartingPoint, { readonly kind: 'input' | 'continue' | 'finished' }> {
  const { command } = request;
  if (isAnswered(request, record)) return { kind: 'finished', base, delta: NO_CHANGE, ending: ALREADY_ENDED };
  const delta = withoutStaleSummary(base.state, inputOf(request));
  if (command?.goto === '__end__') return { kind: 'finished', base, delta, ending: COMPLETED };
  if (takesInput(request, record)) return { kind: 'input', base, delta };
  const node = command?.goto ?? nodeOf(record);
  const answers = answersOf(record, command);
  return { kind: 'continue', base, delta, node, answers, subagents: subagentsOf(record) };
}

/** True when the thread has continued since it admitted a run to answer its questions: a second answer. */
function isAnswered({ command, answers }: StoredRequest, record: CheckpointRecord): boolean {
  if (command?.resume === undefined) return false;
  if (answers === undefined || answers === record.checkpointId) return record.next.length === 0;
  // Another run may have answered some of several questions. Those named by their ids are still open.
  return valuesById(command.resume.value, new Set(questionIds(pendingTasks(record.tasks)))) === undefined;
}

/** The request still has the first attempt's answers, and the checkpoint where it began has the questions. */
async function recovered(parts: StartParts, head: CheckpointRecord): Promise<StartingPoint> {
  const { run, repositories, request, states } = parts;
  const base = await states.of(repositories.checkpoints, head);
  if (base === undefined) return unusable('The state of the run was deleted.');
  const isAnswered = head.next.length === 0;
  if (isAnswered && !mayBeAskedAgain(parts, base)) return finishedBefore(base, endingOfState(base));
  if (head.tasks.length > 0) return finishedBefore(base, AWAITING_INPUT);
  const origin = await checkpoint(parts, run.baseCheckpointId);
  const answers = origin === undefined ? new Map() : answersOf(origin, request.command);
  const subagents = origin === undefined ? new Map() : subagentsOf(origin);
  const node = nodeOf(head);
  const hasOnlyInput = head.source === 'input' && takesInput(request, origin);
  const behind: FirstHooks = isAnswered ? { kind: 'answered' } : { kind: 'after', node: head.node ?? node };
  const firstHooks: FirstHooks = hasOnlyInput ? { kind: 'due' } : behind;
  return { kind: 'recover', base, firstHooks, node, answers, subagents };
}

function finishedBefore(base: FoldedCheckpoint, ending: RunEnding): StartingPoint {
  return { kind: 'finished', base, delta: NO_CHANGE, ending, isRecovered: true };
}

/** True when the process may have died between a reply and what follows it for a goal or a plan. */
function mayBeAskedAgain({ request }: StartParts, { state }: FoldedCheckpoint): boolean {
  return replyToJudge(state) !== undefined || (request.options.planMode && askedAgain(state) !== undefined);
}

/** True when the run begins with its input instead of continuing what waits at the checkpoint. */
function takesInput({ command, messages }: StoredRequest, record: CheckpointRecord | undefined): boolean {
  return record === undefined || (command === undefined && (record.next.length === 0 || messages.length > 0));
}

export function nodeOf({ next }: Pick<CheckpointRecord, 'next'>): AgentNode {
  return next[0] === 'tools' ? 'tools' : 'model';
}

function endingOfState({ state }: FoldedCheckpoint): RunEnding {
  const last = state.messages.at(-1);
  if (last?.type === 'tool') return AWAITING_INPUT;
  const reason = last?.type === 'ai' ? last.response_metadata.finish_reason : undefined;
  if (reason === 'interrupted') return endingOf({ kind: 'aborted' });
  if (reason !== 'error') return COMPLETED;
  return endingOf({ kind: 'model_error', message: 'The model failed while it was answering.' });
}

/** Returns earlier answers and those of this command: one value for all questions, or values by id. */
export function answersOf({ tasks }: CheckpointRecord, command: RunCommand | undefined): Answers {
  const pending = pendingTasks(tasks);
  const answers = new Map<string, Json>(pending.flatMap(({ answered }) => Object.entries(answered)));
  const resume = command?.resume;
  if (resume === undefined) return answers;
  const ids = questionIds(pending);
  const byId = valuesById(resume.value, new Set(ids));
  for (const id of ids) {
    const answer = byId === undefined ? resume.value : byId.get(id);
    if (answer !== undefined) answers.set(id, answer);
  }
  return answers;
}

function questionIds(pending: readonly StoredTask[]): readonly string[] {
  return pending.flatMap(({ interrupts }) => interrupts.map(({ id }) => id));
}

function valuesById(value: Json, ids: ReadonlySet<string>): ReadonlyMap<string, Json> | undefined {
  if (!isJsonObject(value)) return undefined;
  const entries = Object.entries(value);
  const isById = entries.length > 0 && entries.every(([key]) => ids.has(key));
  return isById ? new Map(entries) : undefined;
}

const pendingTask = z.object({
  id: z.string(),
  name: z.string(),
  interrupts: z.array(z.object({ id: z.string(), value: z.json() })),
  answered: z.record(z.string(), z.json()),
  subagents: z.record(z.string(), z.string()).default({}),
});

type StoredTask = PendingTask & z.output<typeof pendingTask>;

function subagentsOf({ tasks }: CheckpointRecord): ReadonlyMap<string, string> {
  return new Map(pendingTasks(tasks).flatMap(({ subagents }) => Object.entries(subagents)));
}

/** Returns the tasks of a checkpoint that wait for the person. */
export function pendingTasks(tasks: readonly Json[]): readonly StoredTask[] {
  return z.array(pendingTask).parse(tasks);
}

// A change to the state of a thread outside of runs: a checkpoint that becomes its head.
import { conflict, notFound, ServiceError } from '../errors.ts';
import type { JsonObject, Message } from '../messages/message.ts';
import { type MessageChange, newMessages } from '../messages/message-changes.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import { withoutStaleSummary } from '../messages/thread-summary.ts';
import type { CheckpointRecord, NewCheckpoint } from '../storage/checkpoints.ts';
import type { MessageRevision } from '../storage/run-events.ts';
import type { Repositories } from '../storage/storage.ts';
import {
  type FoldedCheckpoint,
  NO_CHECKPOINT,
  stateBytes,
  type ThreadStates,
} from '../storage/thread-states.ts';
import type { ThreadRecord } from '../storage/threads.ts';

/** A checkpoint with the state that it stands for. */
export interface StateAt {
  readonly checkpoint: CheckpointRecord;
  readonly folded: FoldedCheckpoint;
}

export interface StateUpdate {
  readonly delta: StateDelta;
  /** The node in whose name the change is made; `null` for none. */
  readonly asNode: string | null;
  /** Absent: the thread's head. */
  readonly checkpointId?: string;
}

export interface StateUpdateParts {
  readonly states: ThreadStates;
  /** What the record says of messages that a checkpoint changes, or brings back. */
  readonly revisions: (
    checkpoint: NewCheckpoint,
    messages: { readonly changes: readonly MessageChange[]; readonly added: readonly Message[] },
  ) => readonly MessageRevision[];
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
  readonly now: () => number;
  readonly newId: () => string;
}

interface AskedUpdate {
  readonly thread: ThreadRecord;
  readonly change: StateUpdate;
  /** Where it goes on from; `undefined` on a thread without state. */
  readonly parent: StateAt | undefined;
}

/** The new head. Throws `payload_too_large` for a state that grows beyond its limit, `conflict` while a run is active. */
export async function applyUpdate(
  { states, revisions, maxStateBytes, now, newId }: StateUpdateParts,
  repositories: Repositories,
  { thread, change: { delta, asNode }, parent }: AskedUpdate,
): Promise<StateAt> {
  const base = parent?.folded ?? NO_CHECKPOINT;
  const newestAt = (await repositories.checkpoints.current(thread.threadId))?.newestAt ?? 0;
  const later = { ...base, createdAt: Math.max(base.createdAt, newestAt) };
  const made = states.extend(later, {
    checkpointId: newId(),
    runId: null,
    namespace: '',
    source: 'update',
    node: asNode,
    delta: withoutStaleSummary(base.state, delta),
    ...afterUpdate(parent?.checkpoint, asNode, delta),
    metadata: {},
    now: now(),
  });
  // What makes a state smaller is the way out of one that is too large.
  if (stateBytes(made.folded) > Math.max(maxStateBytes, stateBytes(base))) {
    states.forget([made.row.checkpointId]);
    throw stateTooLarge(maxStateBytes);
  }
  const isInPlace = asNode === null && base.checkpointId === thread.headCheckpointId;
  const outcome = await repositories.checkpoints.append(thread.threadId, made.row, {
    expectedHead: thread.headCheckpointId,
    revisions: revisions(made.row, {
      changes: made.changes,
      added: delta.messages.length === 0 ? [] : newMessages(base.state, delta),
    }),
    isActivity: delta.messages.length > 0,
    // A branch from an older state may bring an older title back.
    displayName: titleOf(made.folded.state.values),
    // In nobody's name at the head: what the last run left behind is as open, or as failed, as it was.
    status: isInPlace ? undefined : statusAt(made.row),
  });
  if (outcome !== 'appended') throw REFUSALS[outcome]();
  return { checkpoint: { ...made.row, threadId: thread.threadId }, folded: made.folded };
}

function stateTooLarge(maxBytes: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The state of the thread would be larger than ${maxBytes / 1_048_576} MB (runs.max_state_mb). Remove messages from it first, or start a new thread.`,
  );
}

/** A change in nobody's name leaves open what was open; one in a node's name goes on as after that node. */
function afterUpdate(parent: CheckpointRecord | undefined, asNode: string | null, { messages }: StateDelta) {
  if (asNode === null) return { next: parent?.next ?? [], tasks: parent?.tasks ?? [] };
  if (asNode === 'tools' || asNode === '__start__') return { next: ['model'], tasks: [] };
  const last = messages.at(-1);
  const calls = last?.type === 'ai' && last.tool_calls.length > 0;
  return { next: asNode === 'model' && calls ? ['tools'] : [], tasks: [] };
}

/** A thread whose head has steps left waits for a run that continues it. */
function statusAt({ next }: Pick<CheckpointRecord, 'next'>): 'interrupted' | 'idle' {
  return next.length > 0 ? 'interrupted' : 'idle';
}

const REFUSALS = {
  no_thread: () => notFound('Thread'),
  no_parent: () => notFound('Checkpoint'),
  busy: () => conflict('The thread is busy with a run. Wait for it, or cancel it.'),
} as const;

function titleOf(values: JsonObject): string | undefined {
  return typeof values.title === 'string' ? values.title : undefined;
}

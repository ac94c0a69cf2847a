// The state of a thread at its head and at earlier checkpoints, and changes to it outside of runs.
import { z } from 'zod';
import { conflict, notFound } from '../errors.ts';
import type { JsonObject, Message } from '../messages/message.ts';
import { type MessageChange, newMessages } from '../messages/message-changes.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import { withoutStaleSummary } from '../messages/thread-summary.ts';
import type {
  CheckpointQuery,
  CheckpointRecord,
  CheckpointRepository,
  NewCheckpoint,
} from '../storage/checkpoints.ts';
import type { MessageRevision } from '../storage/run-events.ts';
import type { Repositories } from '../storage/storage.ts';
import { type FoldedCheckpoint, NO_CHECKPOINT, type ThreadStates } from '../storage/thread-states.ts';
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

export interface HistoryQuery extends Pick<CheckpointQuery, 'limit' | 'before' | 'namespace'> {
  /** Only the checkpoints that this tells; absent: all. */
  readonly where?: (checkpoint: CheckpointRecord) => boolean;
}

export interface ThreadStateService {
  /** `undefined` while the thread has no checkpoint. Throws `not_found` for a checkpoint that it does not have. */
  get(repositories: Repositories, thread: ThreadRecord, checkpointId?: string): Promise<StateAt | undefined>;
  /** The fields of the state without its messages, and what the person is asked, by task; `null` while it has none. */
  show(
    repositories: Repositories,
    thread: ThreadRecord,
  ): Promise<{ readonly values: JsonObject; readonly interrupts: JsonObject } | null>;
  /** Newest first, all branches. */
  history(repositories: Repositories, thread: ThreadRecord, query: HistoryQuery): Promise<readonly StateAt[]>;
  /** Gives the thread a title. Throws as `update` does. */
  setTitle(repositories: Repositories, threadId: string, title: string): Promise<void>;
  /**
   * Adds a checkpoint and makes it the head; a changed title becomes the thread's, and so does the status of the new
   * head. `conflict` while a run is active.
   */
  update(repositories: Repositories, thread: ThreadRecord, update: StateUpdate): Promise<StateAt>;
}

interface ThreadStateServiceParts {
  readonly states: ThreadStates;
  /** What the record says of messages that a checkpoint changes, or brings back. */
  readonly revisions: (
    checkpoint: NewCheckpoint,
    messages: { readonly changes: readonly MessageChange[]; readonly added: readonly Message[] },
  ) => readonly MessageRevision[];
  readonly now: () => number;
  readonly newId: () => string;
}

export function createThreadStateService(parts: ThreadStateServiceParts): ThreadStateService {
  const { states, revisions, now, newId } = parts;

  const at = async (
    { checkpoints }: Repositories,
    threadId: string,
    checkpointId: string,
  ): Promise<StateAt> => {
    const checkpoint = await checkpoints.get(threadId, checkpointId);
    const folded = checkpoint && (await states.at(checkpoints, threadId, checkpointId));
    if (checkpoint === undefined || folded === undefined) throw notFound('Checkpoint');
    return { checkpoint, folded };
  };

  const update: ThreadStateService['update'] = async (
    repositories,
    thread,
    { delta, asNode, checkpointId },
  ) => {
    const parentId = checkpointId ?? thread.headCheckpointId;
    const parent = parentId === null ? undefined : await at(repositories, thread.threadId, parentId);
    const base = parent?.folded ?? NO_CHECKPOINT;
    const made = states.extend(base, {
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
    const isInPlace = asNode === null && parentId === thread.headCheckpointId;
    const outcome = await repositories.checkpoints.append(thread.threadId, made.row, {
      expectedHead: thread.headCheckpointId,
      revisions: revisions(made.row, {
        changes: made.changes,
        added: delta.messages.length === 0 ? [] : newMessages(base.state, delta),
      }),
      // A branch from an older state may bring an older title back.
      displayName: titleOf(made.folded.state.values),
      // In nobody's name at the head: what the last run left behind is as open, or as failed, as it was.
      status: isInPlace ? undefined : statusAt(made.row),
    });
    if (outcome !== 'appended') throw REFUSALS[outcome]();
    return { checkpoint: { ...made.row, threadId: thread.threadId }, folded: made.folded };
  };

  return {
    update,
    async setTitle(repositories, threadId, title) {
      const thread = await repositories.threads.get(threadId);
      if (thread === undefined) throw notFound('Thread');
      await update(repositories, thread, { delta: { messages: [], values: { title } }, asNode: null });
    },
    async get(repositories, thread, checkpointId) {
      const id = checkpointId ?? thread.headCheckpointId;
      return id === null ? undefined : at(repositories, thread.threadId, id);
    },
    async show(repositories, { threadId, headCheckpointId }) {
      if (headCheckpointId === null) return null;
      const { checkpoint, folded } = await at(repositories, threadId, headCheckpointId);
      const tasks = waitingTasks.parse(checkpoint.tasks);
      const interrupts = Object.fromEntries(tasks.map(({ id, interrupts: asked }) => [id, asked]));
      return { values: folded.state.values, interrupts };
    },
    async history(repositories, { threadId }, query) {
      const list = await found(repositories.checkpoints, threadId, query);
      const entries: StateAt[] = [];
      for (const checkpoint of list) {
        const folded = await states.at(repositories.checkpoints, threadId, checkpoint.checkpointId);
        if (folded !== undefined) entries.push({ checkpoint, folded });
      }
      return entries;
    },
  };
}

/** How many checkpoints are looked through at once for those that a query tells. */
const PAGE = 200;

async function found(
  checkpoints: CheckpointRepository,
  threadId: string,
  { where, ...query }: HistoryQuery,
): Promise<readonly CheckpointRecord[]> {
  if (where === undefined) return checkpoints.list(threadId, query);
  const matching: CheckpointRecord[] = [];
  let { before } = query;
  for (;;) {
    const page = await checkpoints.list(threadId, {
      ...query,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    matching.push(...page.filter(where));
    before = page.at(-1)?.checkpointId;
    if (page.length < PAGE || matching.length >= query.limit) return matching.slice(0, query.limit);
  }
}

/** A change in nobody's name leaves open what was open; one in a node's name goes on as after that node. */
function afterUpdate(parent: CheckpointRecord | undefined, asNode: string | null, { messages }: StateDelta) {
  if (asNode === null) return { next: parent?.next ?? [], tasks: parent?.tasks ?? [] };
  if (asNode === 'tools' || asNode === '__start__') return { next: ['model'], tasks: [] };
  const last = messages.at(-1);
  const calls = last?.type === 'ai' && last.tool_calls.length > 0;
  return { next: asNode === 'model' && calls ? ['tools'] : [], tasks: [] };
}

/** A thread whose head has steps left waits for somebody who lets it go on. */
function statusAt({ next }: Pick<CheckpointRecord, 'next'>): 'interrupted' | 'idle' {
  return next.length > 0 ? 'interrupted' : 'idle';
}

const REFUSALS = {
  no_thread: () => notFound('Thread'),
  no_parent: () => notFound('Checkpoint'),
  busy: () => conflict('The thread is busy with a run. Wait for it, or cancel it.'),
} as const;

const waitingTasks = z.array(z.looseObject({ id: z.string(), interrupts: z.array(z.json()) }));

function titleOf(values: JsonObject): string | undefined {
  return typeof values.title === 'string' ? values.title : undefined;
}

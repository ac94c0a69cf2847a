// The state of a thread at its head and at earlier checkpoints, and changes to it outside of runs.
import { z } from 'zod';
import { notFound, ServiceError } from '../errors.ts';
import type { JsonObject } from '../messages/message.ts';
import type { CheckpointQuery, CheckpointRecord, CheckpointRepository } from '../storage/checkpoints.ts';
import type { Repositories } from '../storage/storage.ts';
import { stateBytes, type ThreadStates } from '../storage/thread-states.ts';
import type { ThreadRecord } from '../storage/threads.ts';
import { createThreadValues, type ThreadValues } from './thread-values.ts';
import { applyUpdate, type StateAt, type StateUpdate, type StateUpdateParts } from './update-state.ts';

export interface HistoryQuery extends Pick<CheckpointQuery, 'limit' | 'before' | 'namespace'> {
  /** Selects checkpoints; without it, all are returned. */
  readonly where?: (checkpoint: CheckpointRecord) => boolean;
}

export interface ThreadStateService extends ThreadValues {
  /**
   * Returns `undefined` while the thread has no checkpoint. Throws `not_found` for a checkpoint that the
   * thread does not have, and `payload_too_large` for a state that is larger than one response may be.
   */
  get(repositories: Repositories, thread: ThreadRecord, checkpointId?: string): Promise<StateAt | undefined>;
  /**
   * Returns the values of the state without its messages, and the open interrupts by task; `null` while the
   * thread has no state.
   */
  show(
    repositories: Repositories,
    thread: ThreadRecord,
  ): Promise<{ readonly values: JsonObject; readonly interrupts: JsonObject } | null>;
  /**
   * Throws `payload_too_large` when the states at the heads of these threads are larger than one response may
   * be.
   */
  requireShowable(repositories: Repositories, threads: readonly ThreadRecord[]): Promise<void>;
  /**
   * Returns the states of all branches, newest first, each folded when the caller requests it. Throws
   * `payload_too_large` before the first one when they are larger than one response may be.
   */
  history(
    repositories: Repositories,
    thread: ThreadRecord,
    query: HistoryQuery,
  ): Promise<AsyncGenerator<StateAt, void, void>>;
  /** Sets the title of the thread. Throws as `update` does. */
  setTitle(repositories: Repositories, threadId: string, title: string): Promise<void>;
  /**
   * Adds a checkpoint and makes it the head. A changed title becomes the thread's, and so does the status of
   * the new head. Throws `payload_too_large` for a state that grows beyond its limit, and `conflict` while a
   * run is active.
   */
  update(repositories: Repositories, thread: ThreadRecord, update: StateUpdate): Promise<StateAt>;
}

interface ThreadStateServiceParts extends StateUpdateParts {
  /** Maximum size of the states in one response. */
  readonly maxResponseBytes: number;
}

export function createThreadStateService(parts: ThreadStateServiceParts): ThreadStateService {
  const { states, maxResponseBytes } = parts;

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

  const update: ThreadStateService['update'] = async (repositories, thread, change) => {
    const parentId = change.checkpointId ?? thread.headCheckpointId;
    const parent = parentId === null ? undefined : await at(repositories, thread.threadId, parentId);
    return applyUpdate(parts, repositories, { thread, change, parent });
  };

  return {
    ...createThreadValues(parts),
    update,
    async setTitle(repositories, threadId, title) {
      const thread = await repositories.threads.get(threadId);
      if (thread === undefined) throw notFound('Thread');
      await update(repositories, thread, { delta: { messages: [], values: { title } }, asNode: null });
    },
    async get(repositories, thread, checkpointId) {
      const id = checkpointId ?? thread.headCheckpointId;
      if (id === null) return undefined;
      const found = await at(repositories, thread.threadId, id);
      if (stateBytes(found.folded) > maxResponseBytes) throw stateTooLong(maxResponseBytes);
      return found;
    },
    async requireShowable({ checkpoints }, threads) {
      const bytes = await checkpoints.headBytes(threads.map(({ threadId }) => threadId));
      if (bytes > maxResponseBytes)
        throw tooManyStates(bytes, maxResponseBytes, 'Request fewer threads (`limit`)');
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
      const bytes = list.reduce((sum, { foldBytes }) => sum + foldBytes, 0);
      if (bytes > maxResponseBytes)
        throw tooManyStates(bytes, maxResponseBytes, 'Request fewer (`limit`) and page with `before`');
      return foldedInTurn(states, repositories, list);
    },
  };
}

async function* foldedInTurn(
  states: ThreadStates,
  { checkpoints }: Repositories,
  list: readonly CheckpointRecord[],
): AsyncGenerator<StateAt, void, void> {
  for (const checkpoint of list) {
    const folded = await states.at(checkpoints, checkpoint.threadId, checkpoint.checkpointId);
    if (folded !== undefined) yield { checkpoint, folded };
  }
}

const MEGABYTE = 1_048_576;

function stateTooLong(maxBytes: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The state is larger than the ${maxBytes / MEGABYTE} MB allowed in one response. Remove messages from it, or raise server.max_answer_mb.`,
  );
}

function tooManyStates(bytes: number, maxBytes: number, advice: string): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `These states are up to ${Math.ceil(bytes / MEGABYTE)} MB, more than the ${maxBytes / MEGABYTE} MB that one answer may hold. ${advice}, or leave the values out (\`select\`).`,
  );
}

/** Checkpoints per page of a search for matches. */
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

const waitingTasks = z.array(z.looseObject({ id: z.string(), interrupts: z.array(z.json()) }));

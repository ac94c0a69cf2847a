// Threads as their owner sees them: create, search, count, patch, copy, delete.
import { conflict, notFound } from '../errors.ts';
import { metadataBytes } from '../messages/bounded-json.ts';
import type { JsonObject } from '../messages/message.ts';
import { withoutReservedKeys } from '../messages/reserved-keys.ts';
import type { Repositories } from '../storage/storage.ts';
import type { ThreadFilter, ThreadQuery, ThreadRecord } from '../storage/threads.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import { createUuidV7 } from '../uuid-v7.ts';
import type { ThreadRemover } from './thread-remover.ts';

interface ThreadRequest {
  /** The future owner, to whom the repositories are bound. */
  readonly userId: string;
  /** Without it, the thread gets a new id. */
  readonly threadId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly assistantId?: string | undefined;
  /** True when the thread is created for one run and removed with it. */
  readonly temporary?: boolean | undefined;
  /** What happens when the user has a thread with this id; default `return`. */
  readonly ifExists?: 'return' | 'raise' | undefined;
}

interface ThreadPage {
  readonly threads: readonly ThreadRecord[];
  /** Number of threads that match the filter, on all pages. */
  readonly total: number;
}

interface ThreadDeletion {
  readonly activeRuns: 'refuse' | 'cancel';
  /** The client's address, for the audit log; absent for the service itself. */
  readonly clientIp?: string;
}

export interface ThreadService {
  /**
   * Idempotent for the owner. Throws `conflict` when the id belongs to another user, or exists and `ifExists`
   * is `raise`, and `payload_too_large` when there is no capacity for the metadata.
   */
  create(repositories: Repositories, request: ThreadRequest): Promise<ThreadRecord>;
  search(repositories: Repositories, query: ThreadQuery): Promise<ThreadPage>;
  count(repositories: Repositories, filter: ThreadFilter): Promise<number>;
  /** Merges the metadata, without reserved keys. Throws `not_found`, and `payload_too_large` as `create`. */
  patch(repositories: Repositories, thread: ThreadRecord, metadata: JsonObject): Promise<ThreadRecord>;
  /**
   * Creates an independent, idle thread of the user with the current state, title and metadata of the thread.
   * Runs and files stay with the original thread. Throws `not_found`, and `payload_too_large` as `create`.
   */
  copy(repositories: Repositories, thread: ThreadRecord): Promise<ThreadRecord>;
  /**
   * Makes the thread and everything recorded of it absent in one step. Then its rows and files are removed,
   * after a crash by a later pass (`ThreadRemover`). Throws `conflict` while a run is active, including one
   * that was just admitted, unless `activeRuns` is `cancel`, and `not_found` when it is gone already.
   */
  delete(repositories: Repositories, thread: ThreadRecord, options: ThreadDeletion): Promise<void>;
}

export interface ThreadServiceDependencies {
  /** Cancels the active runs of a thread and resolves when none is left. */
  readonly cancelRuns: (repositories: Repositories, threadId: string) => Promise<void>;
  /** Ends the background tasks of a deleted thread, before its files are removed. */
  readonly endTasks: (repositories: Repositories, threadId: string) => Promise<void>;
  readonly remover: Pick<ThreadRemover, 'takenUntil' | 'finish'>;
  /** Notifies the clients that follow the thread. */
  readonly announceDeleted: (threadId: string) => void;
  /** Without it, metadata is not limited. */
  readonly admitMetadata?: AdmitMetadata;
  readonly now?: () => number;
  readonly newId?: () => string;
}

export function createThreadService(dependencies: ThreadServiceDependencies): ThreadService {
  const { cancelRuns, endTasks, remover, announceDeleted, now = Date.now } = dependencies;
  const { admitMetadata = async () => {}, newId = createUuidV7() } = dependencies;

  const removed = async (
    repositories: Repositories,
    { threadId, userId }: ThreadRecord,
    clientIp: string | undefined,
  ) => {
    const takenUntil = remover.takenUntil();
    const outcome = await repositories.threads.delete(threadId, takenUntil, clientIp);
    if (outcome !== 'deleted') return outcome;
    announceDeleted(threadId);
    await endTasks(repositories, threadId);
    await remover.finish({ threadId, userId, takenUntil }).catch((cause: unknown) => {
      // Whatever the reason is, the client only learns that it failed (docs/contract/conventions.md#errors).
      throw new Error(`Thread ${threadId} could not be removed completely yet`, { cause });
    });
    return 'deleted';
  };

  return {
    async create({ threads }, request) {
      const { userId, threadId, assistantId, temporary = false, ifExists = 'return' } = request;
      const metadata = withoutReservedKeys(request.metadata ?? {});
      const size = metadataBytes(metadata);
      // A thread that exists takes no more capacity.
      const isThere = size > 0 && threadId !== undefined && (await threads.get(threadId)) !== undefined;
      if (!isThere) await admitMetadata(userId, size);
      const outcome = await threads.create({
        threadId: threadId ?? newId(),
        metadata,
        assistantId: assistantId ?? null,
        temporary,
        now: now(),
      });
      if (outcome === 'taken' || (!outcome.created && ifExists === 'raise')) {
        throw conflict('A thread with this id already exists.');
      }
      return outcome.thread;
    },
    async search({ threads }, query) {
      const found = await threads.search(query);
      const { offset, limit } = query;
      // A page that is not full is the last one.
      const isLast = found.length < limit && (found.length > 0 || offset === 0);
      return { threads: found, total: isLast ? offset + found.length : await threads.count(query) };
    },
    count: ({ threads }, filter) => threads.count(filter),
    async patch({ threads }, { threadId, userId, metadata: before }, given) {
      const metadata = withoutReservedKeys(given);
      await admitMetadata(userId, metadataBytes({ ...before, ...metadata }) - metadataBytes(before));
      const patched = await threads.update(threadId, { metadata, now: now() });
      if (patched === undefined) throw notFound('Thread');
      return patched;
    },
    async copy({ threads }, thread) {
      const metadata = withoutReservedKeys(thread.metadata);
      await admitMetadata(thread.userId, metadataBytes(metadata));
      const copy = await threads.copy(thread.threadId, { threadId: newId(), metadata, now: now() });
      if (copy === undefined) throw notFound('Thread');
      return copy;
    },
    async delete(repositories, thread, { activeRuns, clientIp }) {
      let outcome = thread.status === 'busy' ? 'active' : await removed(repositories, thread, clientIp);
      while (outcome === 'active') {
        if (activeRuns === 'refuse') throw conflict('A run is active on this thread. Cancel it first.');
        await cancelRuns(repositories, thread.threadId);
        outcome = await removed(repositories, thread, clientIp);
      }
      if (outcome === 'absent') throw notFound('Thread');
    },
  };
}

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
  /** Whose it will be: that of the repositories. */
  readonly userId: string;
  /** Absent: a new id. */
  readonly threadId?: string | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly assistantId?: string | undefined;
  /** It is made for one run and goes with it. */
  readonly temporary?: boolean | undefined;
  /** What a thread of the user with this id means; default `return`. */
  readonly ifExists?: 'return' | 'raise' | undefined;
}

interface ThreadPage {
  readonly threads: readonly ThreadRecord[];
  /** How many threads match the filter, on all pages. */
  readonly total: number;
}

interface ThreadDeletion {
  readonly activeRuns: 'refuse' | 'cancel';
  /** Where the request came from, for the audit log; absent: the service itself. */
  readonly clientIp?: string;
}

export interface ThreadService {
  /**
   * Idempotent for the owner. Throws `conflict` when the id is somebody else's, or exists and `ifExists` is `raise`, and
   * `payload_too_large` where there is no room for the metadata.
   */
  create(repositories: Repositories, request: ThreadRequest): Promise<ThreadRecord>;
  search(repositories: Repositories, query: ThreadQuery): Promise<ThreadPage>;
  count(repositories: Repositories, filter: ThreadFilter): Promise<number>;
  /** Merges the metadata, reserved keys left out. Throws `not_found`, and `payload_too_large` as `create`. */
  patch(repositories: Repositories, thread: ThreadRecord, metadata: JsonObject): Promise<ThreadRecord>;
  /**
   * An independent, idle thread of the user's own with the state, the title and the metadata that the thread has
   * now; runs and files stay with the thread that had them. Throws `not_found`, and `payload_too_large` as `create`.
   */
  copy(repositories: Repositories, thread: ThreadRecord): Promise<ThreadRecord>;
  /**
   * Makes the thread with everything recorded of it absent, all at once; then its rows and files go, at last whatever dies in
   * between (`ThreadRemover`). Throws `conflict` while a run is active, one that was just made included,
   * unless `activeRuns` is `cancel`, and `not_found` when it is gone already.
   */
  delete(repositories: Repositories, thread: ThreadRecord, options: ThreadDeletion): Promise<void>;
}

export interface ThreadServiceDependencies {
  /** Cancels the active runs of a thread and resolves when none is left. */
  readonly cancelRuns: (repositories: Repositories, threadId: string) => Promise<void>;
  /** Ends what goes on in the background of a thread that is deleted; its files go next. */
  readonly endTasks: (repositories: Repositories, threadId: string) => Promise<void>;
  readonly remover: Pick<ThreadRemover, 'takenUntil' | 'finish'>;
  /** Whoever follows the thread is told. */
  readonly announceDeleted: (threadId: string) => void;
  /** Absent: metadata is not limited. */
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
      // One that is there already takes no more.
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
        throw conflict('A thread with this id exists already.');
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

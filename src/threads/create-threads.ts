// Creates threads: what people do with them, and what removes them, their files, and accounts with all of theirs.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import { type Storage, UNSCOPED } from '../storage/storage.ts';
import type { RemovedRows } from '../storage/threads.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import type { Job, JobTaker } from '../upkeep/upkeep.ts';
import { createDraftSweeper } from '../workspace/draft-sweeper.ts';
import { removeUserFolder } from '../workspace/remove-folders.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { type AccountRemover, createAccountRemover } from './account-remover.ts';
import { createTemporaryThreadSweeper } from './temporary-thread-sweeper.ts';
import { createThreadRemover } from './thread-remover.ts';
import { createThreadService, type ThreadService, type ThreadServiceDependencies } from './thread-service.ts';

export interface Threads {
  readonly service: ThreadService;
  readonly accountRemover: AccountRemover;
  /** Removes rows and files of threads whose removal nobody has taken on. */
  readonly removeFiles: () => Promise<void>;
}

interface ThreadsParts {
  readonly storage: Storage;
  readonly files: WorkspaceFilesOf;
  readonly dataHome: string;
  /** Cancels the active runs of a thread and resolves when none is left. */
  readonly cancelRuns: ThreadServiceDependencies['cancelRuns'];
  /** Whoever follows the thread is told. */
  readonly announceDeleted: (threadId: string) => void;
  /** What is kept in memory of these goes. */
  readonly forget: (removed: RemovedRows) => void;
  readonly admitMetadata: AdmitMetadata;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
  readonly upkeep: JobTaker;
}

const CATCH_UP_MS = 30_000;
/** The index is made of parts, one for each transaction: searches read all of them. */
const SEARCH_MERGE_MS = 1_000;

export function createThreads(parts: ThreadsParts): Threads {
  const { storage, files, dataHome, cancelRuns, announceDeleted, admitMetadata } = parts;
  const { log, now, newId, exclusive, upkeep } = parts;
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => files({ userId, threadId }).removeAll(),
    forget: parts.forget,
    log,
    now,
    exclusive,
    upkeep,
  });
  const service = createThreadService({
    cancelRuns,
    // They work with its files.
    async endTasks(repositories, threadId) {
      for (const task of await storage.backgroundTasks.orphansOf(threadId))
        await cancelRuns(repositories, task.threadId);
    },
    remover,
    announceDeleted,
    admitMetadata,
    now,
    newId,
  });
  const accountRemover = createAccountRemover({
    removals: storage.accountRemovals,
    async removeThread(thread) {
      await service
        .delete(storage.as(thread.userId ?? UNSCOPED), thread, { activeRuns: 'cancel' })
        .catch((error: unknown) => {
          if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error;
        });
    },
    removeFolder: (userId) => removeUserFolder(dataHome, userId),
    now,
    exclusive,
    upkeep,
  });
  const temporary = createTemporaryThreadSweeper({
    temporary: storage.temporaryThreads,
    remove: (thread) =>
      service.delete(storage.as(thread.userId ?? UNSCOPED), thread, { activeRuns: 'refuse' }),
    log,
    now,
  });
  const jobs = [temporary, createDraftSweeper({ dataHome, exclusive }), ...catchUps(storage)];
  for (const job of jobs) upkeep.add(job);
  return { service, accountRemover, removeFiles: remover.sweep };
}

/** What transactions have left for later, because whoever waited for them should not wait for it. */
function catchUps({ searchIndex, runCommits }: Storage): readonly Job[] {
  return [
    { name: 'words for the search', everyMs: CATCH_UP_MS, pass: searchIndex.catchUp },
    { name: 'parts of the search index', everyMs: SEARCH_MERGE_MS, pass: searchIndex.merge },
    { name: 'messages that a branch has left', everyMs: CATCH_UP_MS, pass: runCommits.settleNext },
  ];
}

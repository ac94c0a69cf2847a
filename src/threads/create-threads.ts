// Creates the service for threads, and the removal of threads, their files, and whole accounts.
import { ServiceError } from '../errors.ts';
import { type Storage, UNSCOPED } from '../storage/storage.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import type { Job } from '../upkeep/upkeep.ts';
import { createDraftSweeper } from '../workspace/draft-sweeper.ts';
import { removeUserFolder } from '../workspace/remove-folders.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { type AccountRemover, createAccountRemover } from './account-remover.ts';
import { createThreadRemover, type ThreadRemoverParts } from './thread-remover.ts';
import { createThreadService, type ThreadService, type ThreadServiceDependencies } from './thread-service.ts';

export interface Threads {
  readonly service: ThreadService;
  readonly accountRemover: AccountRemover;
  /** Removes rows and files of threads whose removal no process has claimed. */
  readonly removeFiles: () => Promise<void>;
}

interface ThreadsParts
  extends Omit<ThreadRemoverParts, 'removals' | 'removeFiles'>,
    Pick<ThreadServiceDependencies, 'cancelRuns' | 'announceDeleted'> {
  readonly storage: Storage;
  readonly files: WorkspaceFilesOf;
  readonly dataHome: string;
  readonly admitMetadata: AdmitMetadata;
  readonly newId: () => string;
}

/** A client that was disconnected may return for the end of its run, so the thread remains for this long. */
const ABANDONED_MS = 600_000;
const ABANDONED_EVERY_MS = 60_000;
const ABANDONED_BATCH = 500;
const CATCH_UP_MS = 30_000;
/** Each transaction adds a part to the index, and searches read all parts. */
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
    // The tasks work with the files of the thread.
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
  const temporary = temporaryThreads(parts, service);
  const jobs = [temporary, createDraftSweeper({ dataHome, exclusive }), ...catchUps(storage)];
  for (const job of jobs) upkeep.add(job);
  return { service, accountRemover, removeFiles: remover.sweep };
}

/**
 * Removes threads of stateless runs that outlived their run, because the process that should remove them
 * died.
 */
function temporaryThreads({ storage, log, now }: ThreadsParts, service: ThreadService): Job {
  return {
    name: 'threads of ended runs',
    everyMs: ABANDONED_EVERY_MS,
    async pass({ signal }) {
      const due = { before: now() - ABANDONED_MS, limit: ABANDONED_BATCH };
      for (const thread of await storage.temporaryThreads.abandoned(due)) {
        if (signal.aborted) return;
        const repositories = storage.as(thread.userId ?? UNSCOPED);
        await service.delete(repositories, thread, { activeRuns: 'refuse' }).catch((err: unknown) => {
          log.warn({ err, threadId: thread.threadId }, 'the thread of an ended run will be removed later');
        });
      }
    },
  };
}

/** Work that transactions leave for later, so that their callers do not wait for it. */
function catchUps({ searchIndex, runCommits }: Storage): readonly Job[] {
  return [
    { name: 'words for the search', everyMs: CATCH_UP_MS, pass: searchIndex.catchUp },
    { name: 'parts of the search index', everyMs: SEARCH_MERGE_MS, pass: searchIndex.merge },
    { name: 'messages that a branch has left', everyMs: CATCH_UP_MS, pass: runCommits.settleNext },
  ];
}

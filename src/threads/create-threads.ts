// Puts the parts of the threads room together.
import { ServiceError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Runs } from '../runs/create-runs.ts';
import { type Storage, UNSCOPED } from '../storage/storage.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import type { Job, JobTaker } from '../upkeep/upkeep.ts';
import { createDraftSweeper } from '../workspace/draft-sweeper.ts';
import { removeUserFolder } from '../workspace/remove-folders.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { type AccountRemover, createAccountRemover } from './account-remover.ts';
import { createTemporaryThreadSweeper } from './temporary-thread-sweeper.ts';
import { createThreadRemover } from './thread-remover.ts';
import { createThreadService, type ThreadService } from './thread-service.ts';

interface ThreadRoom {
  readonly threads: ThreadService;
  readonly accountRemover: AccountRemover;
  /** Removes rows and files of threads whose removal nobody has taken on. */
  readonly removeFiles: () => Promise<void>;
}

interface ThreadRoomParts {
  readonly storage: Storage;
  readonly workspace: WorkspaceFilesOf;
  readonly dataHome: string;
  readonly room: Pick<Runs, 'service' | 'announceDeleted' | 'forget'>;
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

export function createThreadRoom(parts: ThreadRoomParts): ThreadRoom {
  const { storage, workspace, dataHome, room, admitMetadata, log, now, newId, exclusive, upkeep } = parts;
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => workspace({ userId, threadId }).removeAll(),
    forget: room.forget,
    log,
    now,
    exclusive,
    upkeep,
  });
  const { announceDeleted } = room;
  const cancelRuns = room.service.cancelAll;
  const threads = createThreadService({
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
      await threads
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
      threads.delete(storage.as(thread.userId ?? UNSCOPED), thread, { activeRuns: 'refuse' }),
    log,
    now,
  });
  const jobs = [temporary, createDraftSweeper({ dataHome, exclusive }), ...catchUps(storage)];
  for (const job of jobs) upkeep.add(job);
  return { accountRemover, threads, removeFiles: remover.sweep };
}

/** What transactions have left for later, because whoever waited for them should not wait for it. */
function catchUps({ searchIndex, runCommits }: Storage): readonly Job[] {
  return [
    { name: 'words for the search', everyMs: CATCH_UP_MS, look: searchIndex.catchUp },
    { name: 'parts of the search index', everyMs: SEARCH_MERGE_MS, look: searchIndex.merge },
    { name: 'messages that a branch has left', everyMs: CATCH_UP_MS, look: runCommits.settleNext },
  ];
}

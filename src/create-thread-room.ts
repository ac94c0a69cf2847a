// Puts the parts of the threads room together.
import type { RunRoom } from './create-run-room.ts';
import { ServiceError } from './errors.ts';
import type { Log } from './log.ts';
import { type Storage, UNSCOPED } from './storage/storage.ts';
import type { AdmitMetadata } from './storage/usage.ts';
import { type AccountRemover, createAccountRemover } from './threads/account-remover.ts';
import { createCatchUp } from './threads/catch-up.ts';
import { createTemporaryThreadSweeper } from './threads/temporary-thread-sweeper.ts';
import { createThreadRemover } from './threads/thread-remover.ts';
import { createThreadService, type ThreadService } from './threads/thread-service.ts';
import { createDraftSweeper } from './workspace/draft-sweeper.ts';
import { removeUserFolder } from './workspace/remove-user-folder.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface ThreadRoom {
  readonly threads: ThreadService;
  readonly accountRemover: AccountRemover;
  readonly upkeep: Upkeep;
  /** Removes rows and files of threads whose removal nobody has taken on. */
  readonly removeFiles: () => Promise<void>;
}

/** What clears up after processes that died, from now on until it is stopped. */
export interface Upkeep {
  start(): void;
  stop(): Promise<void>;
}

interface ThreadRoomParts {
  readonly storage: Storage;
  readonly workspace: WorkspaceFilesOf;
  readonly dataHome: string;
  readonly room: Pick<RunRoom, 'runs' | 'announceDeleted' | 'forget'>;
  readonly admitMetadata: AdmitMetadata;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
}

/** The index is made of parts, one for each transaction: searches read all of them. */
const SEARCH_MERGE_MS = 1_000;

export function createThreadRoom(parts: ThreadRoomParts): ThreadRoom {
  const { storage, workspace, dataHome, room, admitMetadata, log, now, newId, exclusive } = parts;
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => workspace({ userId, threadId }).removeAll(),
    forget: room.forget,
    log,
    now,
    exclusive,
  });
  const drafts = createDraftSweeper({ dataHome, log, exclusive });
  const searchCatchUp = createCatchUp({
    next: storage.searchIndex.catchUp,
    failed: 'the search index could not catch up; trying again later',
    log,
  });
  const searchMerges = createCatchUp({
    next: storage.searchIndex.merge,
    everyMs: SEARCH_MERGE_MS,
    failed: 'the search index could not be merged; trying again later',
    log,
  });
  const moves = createCatchUp({
    next: storage.runCommits.settleNext,
    failed: 'messages could not be marked as a branch has left them; trying again later',
    log,
  });
  const { announceDeleted } = room;
  const cancelRuns = room.runs.cancelAll;
  const threads = createThreadService({ cancelRuns, remover, announceDeleted, admitMetadata, now, newId });
  const temporary = createTemporaryThreadSweeper({
    temporary: storage.temporaryThreads,
    remove: (thread) =>
      threads.delete(storage.as(thread.userId ?? UNSCOPED), thread, { activeRuns: 'refuse' }),
    log,
    now,
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
    log,
    now,
    exclusive,
  });
  return {
    accountRemover,
    upkeep: {
      start() {
        remover.start();
        drafts.start();
        temporary.start();
        searchCatchUp.start();
        searchMerges.start();
        moves.start();
        accountRemover.start();
      },
      async stop() {
        const parts = [remover, drafts, temporary, searchCatchUp, searchMerges, moves, accountRemover];
        await Promise.all(parts.map((part) => part.stop()));
      },
    },
    threads,
    removeFiles: remover.sweep,
  };
}

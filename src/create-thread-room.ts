// Puts the parts of the threads room together.
import type { RunRoom } from './create-run-room.ts';
import { ServiceError } from './errors.ts';
import type { Log } from './log.ts';
import { type Storage, UNSCOPED } from './storage/storage.ts';
import { type AccountRemover, createAccountRemover } from './threads/account-remover.ts';
import { createSearchCatchUp } from './threads/search-catch-up.ts';
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
  /** Removes the files of threads whose removal nobody has taken on. */
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
  readonly room: Pick<RunRoom, 'runs' | 'forget'>;
  readonly log: Log;
  readonly now: () => number;
  readonly newId: () => string;
  /** The process alone works on the database. */
  readonly exclusive: boolean;
}

export function createThreadRoom(parts: ThreadRoomParts): ThreadRoom {
  const { storage, workspace, dataHome, room, log, now, newId, exclusive } = parts;
  const remover = createThreadRemover({
    removals: storage.threadRemovals,
    removeFiles: ({ userId, threadId }) => workspace({ userId, threadId }).removeAll(),
    log,
    now,
    exclusive,
  });
  const drafts = createDraftSweeper({ dataHome, log, exclusive });
  const searchCatchUp = createSearchCatchUp({ index: storage.searchIndex, log });
  const { forget } = room;
  const threads = createThreadService({ cancelRuns: room.runs.cancelAll, remover, forget, now, newId });
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
        accountRemover.start();
      },
      async stop() {
        const parts = [remover, drafts, temporary, searchCatchUp, accountRemover];
        await Promise.all(parts.map((part) => part.stop()));
      },
    },
    threads,
    removeFiles: remover.sweep,
  };
}

// Puts the parts of the threads room together.
import type { RunRoom } from './create-run-room.ts';
import type { Log } from './log.ts';
import type { Storage } from './storage/storage.ts';
import { createThreadRemover } from './threads/thread-remover.ts';
import { createThreadService, type ThreadService } from './threads/thread-service.ts';
import { createDraftSweeper } from './workspace/draft-sweeper.ts';
import type { WorkspaceFilesOf } from './workspace/workspace-files.ts';

interface ThreadRoom {
  readonly threads: ThreadService;
  readonly upkeep: Upkeep;
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
  const { forget } = room;
  return {
    upkeep: {
      start() {
        remover.start();
        drafts.start();
      },
      async stop() {
        await Promise.all([remover.stop(), drafts.stop()]);
      },
    },
    threads: createThreadService({ cancelRuns: room.runs.cancelAll, remover, forget, now, newId }),
  };
}

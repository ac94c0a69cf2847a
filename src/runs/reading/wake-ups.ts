// Wakes readers and jobs: those of this process directly, those of other processes by a notice.
import type { Notice, Notices } from '../../storage/notices.ts';
import type { RunTails } from '../log/run-tails.ts';
import type { ThreadChanges } from './thread-changes.ts';

export interface WakeUps {
  /** Reports that events of the runs are in their rows. Readers here already have them. */
  logged(runIds: readonly string[]): void;
  /** Reports runs that ended without being executed, or are gone. */
  ended(runIds: readonly string[]): void;
  /** Reports that a run was admitted on the thread, or that the thread is deleted. */
  threadMoved(threadId: string): void;
  /** Like `ThreadChanges.announce`. */
  listChanged(userId: string | null, threadId?: string): void;
  /** Receives the notices of other processes from now on. */
  start(): void;
  /** Asks other processes to continue what remains of the background work, which has ended here. */
  stop(): Promise<void>;
}

interface WakeUpParts {
  readonly notices: Notices;
  readonly tails: Pick<RunTails, 'wake' | 'wakeAll'>;
  readonly watch: ThreadWatch;
  readonly threadChanges: ThreadChanges;
  /** Called when another process was asked to end a run that may be executed here; without an id, any run. */
  readonly onCancel: (runId?: string) => void;
  readonly onWaiting: () => void;
  /** Called when another process has ended its background work. */
  readonly onWorkerLeft: () => void;
  /** Called when a thread of a user has changed, in any process. */
  readonly onList: (threadId: string | undefined) => void;
}

export function createWakeUps(parts: WakeUpParts): WakeUps {
  const { notices, tails, watch, threadChanges, onList } = parts;
  const notify = (kind: 'run', runIds: readonly string[]): void => {
    for (const runId of runIds) notices.send({ kind, runId });
  };
  return {
    logged: (runIds) => notify('run', runIds),
    ended(runIds) {
      for (const runId of runIds) tails.wake(runId);
      notify('run', runIds);
    },
    threadMoved(threadId) {
      watch.moved(threadId);
      notices.send({ kind: 'thread', threadId });
    },
    listChanged(userId, threadId) {
      if (userId === null) return;
      threadChanges.announce(userId, threadId);
      onList(threadId);
      notices.send({ kind: 'list', userId, threadId });
    },
    start: () => notices.start((notice) => hear(parts, notice)),
    stop() {
      notices.send({ kind: 'left' });
      return notices.stop();
    },
  };
}

function hear(parts: WakeUpParts, notice: Notice): void {
  const { tails, watch, threadChanges, onCancel, onWaiting, onWorkerLeft, onList } = parts;
  switch (notice.kind) {
    case 'run':
      tails.wake(notice.runId);
      break;
    case 'cancel':
      onCancel(notice.runId);
      break;
    case 'thread':
      watch.moved(notice.threadId);
      break;
    case 'list':
      threadChanges.announce(notice.userId, notice.threadId);
      onList(notice.threadId);
      break;
    case 'waiting':
      onWaiting();
      break;
    case 'left':
      onWorkerLeft();
      break;
    case 'missed':
      tails.wakeAll();
      watch.wakeAll();
      threadChanges.checkNow();
      onCancel();
      onWaiting();
      break;
    default:
      notice satisfies never;
  }
}

/** Wakes readers that follow a thread when a run is started on it, or when it is deleted. */
export interface ThreadWatch {
  /** Reports that a run was admitted on the thread, or that it was deleted. */
  moved(threadId: string): void;
  /** Reports that this may have happened to every thread. */
  wakeAll(): void;
  /** Watches the thread for one reader. Without `stop`, the thread stays in memory. */
  watch(threadId: string): ThreadWatcher;
}

interface ThreadWatcher {
  /** Resolves at the next such report. */
  changed(): Promise<void>;
  stop(): void;
}

interface Watched {
  readers: number;
  next: PromiseWithResolvers<void>;
}

export function createThreadWatch(): ThreadWatch {
  const watched = new Map<string, Watched>();
  const wake = (threadId: string): void => {
    const it = watched.get(threadId);
    if (it === undefined) return;
    it.next.resolve();
    it.next = Promise.withResolvers();
  };
  return {
    moved: wake,
    wakeAll() {
      for (const threadId of watched.keys()) wake(threadId);
    },
    watch(threadId) {
      const it = watched.get(threadId) ?? { readers: 0, next: Promise.withResolvers<void>() };
      watched.set(threadId, it);
      it.readers++;
      return {
        changed: () => it.next.promise,
        stop: () => {
          it.readers--;
          if (it.readers === 0) watched.delete(threadId);
        },
      };
    },
  };
}

// Wakes whoever waits for something that happened: those of this process at once, those of others by a notice.
import type { Notice, Notices } from '../../storage/notices.ts';
import type { RunTails } from '../log/run-tails.ts';
import type { ThreadChanges } from './thread-changes.ts';

export interface WakeUps {
  /** What the runs said is in their rows. Readers here have it already. */
  logged(runIds: readonly string[]): void;
  /** The runs have come to their end without being executed, or are gone. */
  ended(runIds: readonly string[]): void;
  /** A run was accepted on the thread, or the thread is deleted. */
  threadMoved(threadId: string): void;
  /** As `ThreadChanges.announce`. */
  listChanged(userId: string | null, threadId?: string): void;
  /** Hears of other processes from now on. */
  start(): void;
  /** Background work has ended: others are told to go on with what is left of it. */
  stop(): Promise<void>;
}

interface WakeUpParts {
  readonly notices: Notices;
  readonly tails: Pick<RunTails, 'wake' | 'wakeAll'>;
  readonly watch: ThreadWatch;
  readonly threadChanges: ThreadChanges;
  /** Whoever executes runs, by what other processes say of them; without an id: of any of them. */
  readonly onCancel: (runId?: string) => void;
  readonly onWaiting: () => void;
  /** Whoever works in the background. */
  readonly onWorkerLeft: () => void;
  /** A thread of a user has changed, wherever. */
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

/** Wakes who follows a thread when a run is started on it, or when it is deleted. */
export interface ThreadWatch {
  /** A run was accepted on the thread, or it was deleted. */
  moved(threadId: string): void;
  /** Any of that may have happened to every thread. */
  wakeAll(): void;
  /** For one reader: whoever watches must stop, or the thread is remembered for ever. */
  watch(threadId: string): ThreadWatcher;
}

interface ThreadWatcher {
  /** Resolves at the next of these. */
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

// Wakes readers and jobs: those of this process directly, those of other processes by a notice.
import type { Notice, Notices } from '../../storage/notices.ts';
import type { Watches } from '../log/watches.ts';
import type { ThreadChanges } from './thread-changes.ts';

export type WakeUps = ReturnType<typeof createWakeUps>;

interface WakeUpParts {
  readonly notices: Notices;
  /** The readers of runs, and those that follow threads. */
  readonly watches: { readonly runs: Watches; readonly threads: Watches };
  readonly threadChanges: ThreadChanges;
  /** Called when another process was asked to end a run that may be executed here; without an id, any run. */
  readonly onCancel: (runId?: string) => void;
  readonly onWaiting: () => void;
  /** Called when another process has ended its background work. */
  readonly onWorkerLeft: () => void;
  /** Called when a thread of a user has changed, in any process. */
  readonly onList: (threadId: string | undefined) => void;
}

export function createWakeUps(parts: WakeUpParts) {
  const { notices, watches, threadChanges, onList } = parts;
  const logged = (runIds: readonly string[]): void => {
    for (const runId of runIds) notices.send({ kind: 'run', runId });
  };
  return {
    /** Reports that events of the runs are in their rows. Readers here already have them. */
    logged,
    /** Reports runs that ended without being executed, or are gone. */
    ended(runIds: readonly string[]): void {
      for (const runId of runIds) watches.runs.wake(runId);
      logged(runIds);
    },
    /** Reports that a run was admitted on the thread, or that the thread is deleted. */
    threadMoved(threadId: string): void {
      watches.threads.wake(threadId);
      notices.send({ kind: 'thread', threadId });
    },
    /** Like `ThreadChanges.announce`. */
    listChanged(userId: string | null, threadId?: string): void {
      if (userId === null) return;
      threadChanges.announce(userId, threadId);
      onList(threadId);
      notices.send({ kind: 'list', userId, threadId });
    },
    /** Receives the notices of other processes from now on. */
    start: (): void => notices.start((notice) => hear(parts, notice)),
    /** Asks other processes to continue what remains of the background work, which has ended here. */
    stop(): Promise<void> {
      notices.send({ kind: 'left' });
      return notices.stop();
    },
  };
}

function hear(parts: WakeUpParts, notice: Notice): void {
  const { watches, threadChanges, onCancel, onWaiting, onWorkerLeft, onList } = parts;
  switch (notice.kind) {
    case 'run':
      watches.runs.wake(notice.runId);
      break;
    case 'cancel':
      onCancel(notice.runId);
      break;
    case 'thread':
      watches.threads.wake(notice.threadId);
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
      watches.runs.wakeAll();
      watches.threads.wakeAll();
      threadChanges.checkNow();
      onCancel();
      onWaiting();
      break;
    default:
      notice satisfies never;
  }
}

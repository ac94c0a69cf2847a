// Everything that happens on a thread, run after run, for as long as a reader stays.
import type { RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { EventNumbers } from './event-numbers.ts';
import type { NumberedEvent } from './protocol-event.ts';
import { type RunEventsParts, type RunEventsReader, readRunEvents } from './run-events.ts';
import { firstRun, inOrder } from './run-order.ts';
import type { ThreadWatch } from './thread-watch.ts';

interface ThreadReader {
  readonly repositories: Repositories;
  readonly threadId: string;
  readonly signal: AbortSignal;
}

export interface ThreadEvents {
  /**
   * The events of the run that goes on, or of the latest one, from its beginning; then those of every run that
   * follows, live. Ids are the same for every reader at any time. A thread that is not there is waited for: a client may
   * come before the run that creates it. Ends quietly when the signal aborts, and when a thread that was there is deleted:
   * when this resolves, it has looked whether it is.
   */
  read(reader: ThreadReader): Promise<AsyncGenerator<readonly NumberedEvent[], void, void>>;
}

export interface ThreadEventsParts extends RunEventsParts {
  readonly watch: ThreadWatch;
  /** How often an idle thread is looked at for runs that were started elsewhere. */
  readonly pollMs: number;
  readonly now: () => number;
}

const FEW_RUNS = 8;
const MAX_RUNS = 512;

export function createThreadEvents(parts: ThreadEventsParts): ThreadEvents {
  return {
    async read(reader) {
      const { repositories, threadId } = reader;
      const wasThere = (await repositories.threads.get(threadId)) !== undefined;
      return readThread(parts, reader, wasThere);
    },
  };
}

async function* readThread(
  parts: ThreadEventsParts,
  reader: ThreadReader,
  isThere: boolean,
): AsyncGenerator<readonly NumberedEvent[], void, void> {
  const { signal, threadId } = reader;
  const watcher = parts.watch.watch(threadId);
  const told = new ToldRuns();
  let wasThere = isThere;
  try {
    while (!signal.aborted) {
      // Taken before the look, so that a run that is started in between is not slept over.
      const changed = watcher.changed();
      const next = await nextRun(parts, reader, told);
      if (next.kind === 'absent' && wasThere) return;
      wasThere ||= next.kind !== 'absent';
      if (next.kind === 'run') yield* tell(parts, { ...reader, run: next.run }, told);
      else await within(changed, next.kind === 'none' ? next.waitMs : parts.pollMs, signal);
    }
  } finally {
    watcher.stop();
  }
}

/** A run that has no place yet is only waited for. */
async function* tell(
  parts: ThreadEventsParts,
  reader: RunEventsReader,
  told: ToldRuns,
): AsyncGenerator<readonly NumberedEvent[], void, void> {
  if (hasNoPlace(reader.run)) return untilBegun(parts, reader);
  yield* readRunEvents(parts, reader, told.numbers);
  told.add(reader.run);
}

/** It waits, and runs that are cancelled meanwhile get their places before it. */
function hasNoPlace({ status, numbersFrom }: RunRecord): boolean {
  return status === 'pending' && numbersFrom === null;
}

/** Resolves when the run has said something: then it has its place. */
async function untilBegun({ stream }: ThreadEventsParts, reader: RunEventsReader): Promise<void> {
  const events = stream.read({ ...reader, after: 0 });
  await events.next();
  await events.return();
}

/** Which runs the reader has seen to their end. */
class ToldRuns {
  readonly numbers = new EventNumbers();
  /** When the first run that is told was created; absent before the first look. */
  #from: number | undefined;
  readonly #ids = new Set<string>();

  add({ runId }: RunRecord): void {
    this.#ids.add(runId);
  }

  /** Whether nothing that is to be told can be older than these runs. */
  isEnough(newestFirst: readonly RunRecord[]): boolean {
    const oldest = newestFirst.at(-1);
    if (oldest === undefined || this.#ids.has(oldest.runId)) return true;
    return this.#from === undefined ? firstRun(newestFirst) !== oldest : oldest.createdAt < this.#from;
  }

  /** Those that are still to be told, in order. */
  rest(newestFirst: readonly RunRecord[]): readonly RunRecord[] {
    // On a thread without runs every run that comes is a new one.
    this.#from ??= firstRun(newestFirst)?.createdAt ?? 0;
    const from = this.#from;
    return inOrder(newestFirst.filter((run) => run.createdAt >= from && !this.#ids.has(run.runId)));
  }
}

type NextRun =
  | { readonly kind: 'run'; readonly run: RunRecord }
  | { readonly kind: 'none'; readonly waitMs: number }
  | { readonly kind: 'absent' };

async function nextRun(
  { pollMs, now }: ThreadEventsParts,
  { repositories, threadId }: ThreadReader,
  told: ToldRuns,
): Promise<NextRun> {
  const list = await recentRuns(repositories, threadId, told);
  if (list.length === 0 && (await repositories.threads.get(threadId)) === undefined)
    return { kind: 'absent' };
  const rest = told.rest(list);
  // A run that shall start later does not hold up those that are accepted meanwhile.
  const due = rest.find((run) => run.status !== 'pending' || (run.startAfter ?? 0) <= now());
  if (due !== undefined) return { kind: 'run', run: due };
  const starts = rest.map((run) => (run.startAfter ?? 0) - now());
  return { kind: 'none', waitMs: Math.max(0, Math.min(pollMs, ...starts)) };
}

/** Newest first. Long threads have many runs, and nearly always only the latest matters. */
async function recentRuns(
  { runs }: Repositories,
  threadId: string,
  told: ToldRuns,
): Promise<readonly RunRecord[]> {
  for (let limit = FEW_RUNS; ; limit *= 4) {
    const list = await runs.list(threadId, { limit, offset: 0 });
    if (list.length < limit || limit >= MAX_RUNS || told.isEnough(list)) return list;
  }
}

/** Resolves when the promise does, when the time is over, or when the signal aborts. */
async function within(changed: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
  const woken = Promise.withResolvers<void>();
  const wake = (): void => woken.resolve();
  signal.addEventListener('abort', wake, { once: true });
  const timer = setTimeout(wake, ms);
  try {
    if (!signal.aborted) await Promise.race([changed, woken.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
  }
}

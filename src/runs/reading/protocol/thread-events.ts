// The events of a thread, run after run, for as long as a reader stays.
import type { RunRecord } from '../../../storage/runs.ts';
import type { Repositories } from '../../../storage/storage.ts';
import type { Timers } from '../../../timers.ts';
import type { Watches } from '../../log/watches.ts';
import { baseOf, EventNumbers, firstRun, inOrder, SeenNumbers } from './event-numbers.ts';
import type { NumberedEvent } from './protocol-event.ts';
import { type RunEventsParts, type RunEventsReader, readRunEvents } from './run-events.ts';

interface ThreadReader {
  readonly repositories: Repositories;
  readonly threadId: string;
  readonly signal: AbortSignal;
  /** Events up to this number were seen. Absent: none were, or the reader does not say. */
  readonly since?: number | undefined;
  /** True to show seen events as well, because others beside the reader have not seen them. */
  readonly showsSeen?: boolean;
}

export type ThreadEvents = ReturnType<typeof createThreadEvents>;

export interface ThreadEventsParts extends RunEventsParts {
  /** Woken when a run is admitted on the thread, or when the thread is deleted. */
  readonly watches: Watches;
  /** How often an idle thread is checked although no notice of a run arrives. */
  readonly pollAfterMs: () => number;
  readonly now: () => number;
  readonly timers: Timers;
}

const FEW_RUNS = 8;
const MAX_RUNS = 512;

export function createThreadEvents(parts: ThreadEventsParts) {
  return {
    /**
     * Yields the events of the run in progress, or of the latest one, from its beginning; then those of every
     * later run, live. Ids are the same for every reader at any time. Waits for a thread that does not exist,
     * because a client may come before the run that creates it. Ends quietly when the signal aborts, and when
     * an existing thread is deleted. Whether the thread exists is known when this resolves.
     *
     * When the database has lost what the reader was shown, an event reports it, and the run is sent from its
     * start.
     */
    async read(reader: ThreadReader): Promise<ThreadEventStream> {
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
  const { watches, timers } = parts;
  const watch = watches.watch(threadId, { signal, timers });
  const reading = new ReadRuns(new SeenNumbers(reader.since, reader.showsSeen !== true));
  let wasThere = isThere;
  try {
    while (!signal.aborted) {
      // Before the read, so that a run started in between is not missed.
      watch.begin();
      const next = await nextRun(parts, reader, reading);
      if (next.kind === 'absent' && wasThere) return;
      wasThere ||= next.kind !== 'absent';
      if (next.kind === 'run') yield* readRun(parts, { ...reader, run: next.run }, reading);
      // What the reader saw belongs to no existing run.
      else if (next.kind === 'none' && reading.seen.isOpen) yield* replayLast(parts, reader, reading);
      else await watch.woken(next.waitMs);
    }
  } finally {
    watch.stop();
  }
}

type ThreadEventStream = AsyncGenerator<readonly NumberedEvent[], void, void>;

/** Only waits for a run that has no numbers yet. */
async function* readRun(
  parts: ThreadEventsParts,
  reader: ThreadReader & RunEventsReader,
  reading: ReadRuns,
): ThreadEventStream {
  const { run } = reader;
  // Runs that are cancelled while it waits get their numbers before it.
  if (run.status === 'pending' && run.numbersFrom === null) return untilBegun(parts, reader);
  // The reader's number belongs to the previous run, which lacks it, or to an earlier one that is not shown.
  if (reading.seen.isBefore(baseOf(run))) yield* replayLast(parts, reader, reading);
  const isLost = yield* unseenEvents(readRunEvents(parts, reader), reading.seen);
  reading.add(run);
  if (isLost) yield* replayLast(parts, reader, reading);
}

/** Returns `true` when what the reader saw of the run is lost and must be sent again. */
async function* unseenEvents(
  batches: AsyncIterable<readonly NumberedEvent[]>,
  seen: SeenNumbers,
): AsyncGenerator<readonly NumberedEvent[], boolean, void> {
  for await (const batch of batches) {
    if (batch[0]?.beginsAnew) seen.forget();
    const unseen = seen.unseen(batch);
    if (unseen === 'lost') return true;
    if (unseen.length > 0) yield unseen;
  }
  return false;
}

/** Yields the last run, if any, from its start: what the reader saw of it, or after it, is lost. */
async function* replayLast(
  parts: ThreadEventsParts,
  reader: ThreadReader,
  { last, seen }: ReadRuns,
): ThreadEventStream {
  seen.forget();
  if (last === undefined) return;
  yield [new EventNumbers(last).replaced(last.epochs.at(-1)?.name)];
  yield* readRunEvents(parts, { ...reader, run: last });
}

/** Resolves at the run's first event. The run has its numbers then. */
async function untilBegun({ stream }: ThreadEventsParts, reader: RunEventsReader): Promise<void> {
  const events = stream.read({ ...reader, after: 0 });
  await events.next();
  await events.return();
}

class ReadRuns {
  readonly seen: SeenNumbers;
  /** When the first shown run was created; absent before the first read. */
  #from: number | undefined;
  readonly #ids = new Set<string>();
  #last: RunRecord | undefined;

  constructor(seen: SeenNumbers) {
    this.seen = seen;
  }

  get last(): RunRecord | undefined {
    return this.#last;
  }

  add(run: RunRecord): void {
    this.#last = run;
    this.#ids.add(run.runId);
  }

  /** True when no run older than these needs to be shown. */
  isEnough(newestFirst: readonly RunRecord[]): boolean {
    const oldest = newestFirst.at(-1);
    if (oldest === undefined || this.#ids.has(oldest.runId)) return true;
    return this.#from === undefined ? firstRun(newestFirst) !== oldest : oldest.createdAt < this.#from;
  }

  /** Returns the runs that are still to be shown, in order. */
  rest(newestFirst: readonly RunRecord[]): readonly RunRecord[] {
    // On a thread without runs, every run that comes is a new one.
    this.#from ??= firstRun(newestFirst)?.createdAt ?? 0;
    const from = this.#from;
    return inOrder(newestFirst.filter((run) => run.createdAt >= from && !this.#ids.has(run.runId)));
  }
}

type NextRun =
  | { readonly kind: 'run'; readonly run: RunRecord }
  | { readonly kind: 'none' | 'absent'; readonly waitMs: number };

async function nextRun(
  { pollAfterMs, now }: ThreadEventsParts,
  { repositories, threadId }: ThreadReader,
  reading: ReadRuns,
): Promise<NextRun> {
  const list = await recentRuns(repositories, threadId, reading);
  if (list.length === 0 && (await repositories.threads.get(threadId)) === undefined)
    return { kind: 'absent', waitMs: pollAfterMs() };
  const rest = reading.rest(list);
  // A run with a delayed start does not hold up those that are admitted before it starts.
  const due = rest.find((run) => run.status !== 'pending' || (run.startAfter ?? 0) <= now());
  if (due !== undefined) return { kind: 'run', run: due };
  const starts = rest.map((run) => (run.startAfter ?? 0) - now());
  return { kind: 'none', waitMs: Math.max(0, Math.min(pollAfterMs(), ...starts)) };
}

/** Returns runs, newest first. Long threads have many, and nearly always only the latest matters. */
async function recentRuns(
  { runs }: Repositories,
  threadId: string,
  reading: ReadRuns,
): Promise<readonly RunRecord[]> {
  for (let limit = FEW_RUNS; ; limit *= 4) {
    const list = await runs.list(threadId, { limit, offset: 0 });
    if (list.length < limit || limit >= MAX_RUNS || reading.isEnough(list)) return list;
  }
}

// Everything that happens on a thread, run after run, for as long as a reader stays.
import type { RunRecord } from '../../../storage/runs.ts';
import type { Repositories } from '../../../storage/storage.ts';
import type { ThreadWatch } from '../wake-ups.ts';
import { baseOf, EventNumbers, firstRun, inOrder, SeenNumbers } from './event-numbers.ts';
import type { NumberedEvent } from './protocol-event.ts';
import { type RunEventsParts, type RunEventsReader, readRunEvents } from './run-events.ts';

interface ThreadReader {
  readonly repositories: Repositories;
  readonly threadId: string;
  readonly signal: AbortSignal;
  /** Events up to this number were seen. Absent: none, or it does not say. */
  readonly since?: number | undefined;
  /** What was seen is shown all the same, as somebody beside the reader has not seen it. */
  readonly showsSeen?: boolean;
}

export interface ThreadEvents {
  /**
   * The events of the run that goes on, or of the latest one, from its beginning; then those of every run that
   * follows, live. Ids are the same for every reader at any time. A thread that is not there is waited for: a client may
   * come before the run that creates it. Ends quietly when the signal aborts, and when a thread that was there is deleted:
   * when this resolves, it has looked whether it is.
   *
   * Where the database has lost what the reader was shown, an event says so, and the run is told from its start.
   */
  read(reader: ThreadReader): Promise<AsyncGenerator<readonly NumberedEvent[], void, void>>;
}

export interface ThreadEventsParts extends RunEventsParts {
  readonly watch: ThreadWatch;
  /** After how long an idle thread is looked at though nobody says that a run was started on it. */
  readonly pollAfterMs: () => number;
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
  const reading = new ReadRuns(new SeenNumbers(reader.since, reader.showsSeen !== true));
  let wasThere = isThere;
  try {
    while (!signal.aborted) {
      // Taken before the look, so that a run that is started in between is not slept over.
      const changed = watcher.changed();
      const next = await nextRun(parts, reader, reading);
      if (next.kind === 'absent' && wasThere) return;
      wasThere ||= next.kind !== 'absent';
      const stream = streamOf(parts, reader, { next, reading });
      if (stream !== undefined) yield* stream;
      else await within(changed, next.kind === 'none' ? next.waitMs : parts.pollAfterMs(), signal);
    }
  } finally {
    watcher.stop();
  }
}

type ThreadEventStream = AsyncGenerator<readonly NumberedEvent[], void, void>;

/** `undefined`: there is nothing to tell yet. */
function streamOf(
  parts: ThreadEventsParts,
  reader: ThreadReader,
  { next, reading }: { readonly next: NextRun; readonly reading: ReadRuns },
): ThreadEventStream | undefined {
  if (next.kind === 'run') return readRun(parts, { ...reader, run: next.run }, reading);
  // What the reader saw is of no run that there is.
  return next.kind === 'none' && reading.seen.isOpen ? replayLast(parts, reader, reading) : undefined;
}

/** A run that has no place yet is only waited for. */
async function* readRun(
  parts: ThreadEventsParts,
  reader: ThreadReader & RunEventsReader,
  reading: ReadRuns,
): ThreadEventStream {
  const { run } = reader;
  if (hasNoPlace(run)) return untilBegun(parts, reader);
  // Of the run before it, which has no such number; or of an earlier one that is not told.
  if (reading.seen.isBefore(baseOf(run))) yield* replayLast(parts, reader, reading);
  const isLost = yield* unseenEvents(readRunEvents(parts, reader, reading.numbers), reading.seen);
  reading.add(run);
  if (isLost) yield* replayLast(parts, reader, reading);
}

/** `true`: what the reader saw of the run is lost, and it must be told anew. */
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

/** The last run that was told, if there is one, from its start: what the reader saw of it, or behind it, is lost. */
async function* replayLast(
  parts: ThreadEventsParts,
  reader: ThreadReader,
  { last, seen, numbers }: ReadRuns,
): ThreadEventStream {
  seen.forget();
  if (last === undefined) return;
  numbers.begin(last);
  yield [numbers.replaced(last.epochs.at(-1)?.name)];
  yield* readRunEvents(parts, { ...reader, run: last }, numbers);
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
class ReadRuns {
  readonly numbers = new EventNumbers();
  readonly seen: SeenNumbers;
  /** When the first run that is told was created; absent before the first look. */
  #from: number | undefined;
  readonly #ids = new Set<string>();
  #last: RunRecord | undefined;

  constructor(seen: SeenNumbers) {
    this.seen = seen;
  }

  /** The one that was told last. */
  get last(): RunRecord | undefined {
    return this.#last;
  }

  add(run: RunRecord): void {
    this.#last = run;
    this.#ids.add(run.runId);
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
  { pollAfterMs, now }: ThreadEventsParts,
  { repositories, threadId }: ThreadReader,
  reading: ReadRuns,
): Promise<NextRun> {
  const list = await recentRuns(repositories, threadId, reading);
  if (list.length === 0 && (await repositories.threads.get(threadId)) === undefined)
    return { kind: 'absent' };
  const rest = reading.rest(list);
  // A run that shall start later does not hold up those that are accepted meanwhile.
  const due = rest.find((run) => run.status !== 'pending' || (run.startAfter ?? 0) <= now());
  if (due !== undefined) return { kind: 'run', run: due };
  const starts = rest.map((run) => (run.startAfter ?? 0) - now());
  return { kind: 'none', waitMs: Math.max(0, Math.min(pollAfterMs(), ...starts)) };
}

/** Newest first. Long threads have many runs, and nearly always only the latest matters. */
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

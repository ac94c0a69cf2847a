// A cursor over the log of a run. Every stream, join, wait and resumption reads through it.
import { isTerminal, type RunEpoch, type RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import { pause, REAL_TIMERS, type Timers } from '../../timers.ts';
import { epochAt, epochOfEnd, intactThrough, type SeenPlace } from '../log/epochs.ts';
import { type LogEvent, type LoggedEvent, loggedEvents } from '../log/log-event.ts';
import type { LogPlace, RunTails } from '../log/run-tails.ts';

/** The fields that a reader keeps of its run: it may stay for long, and the request may be large. */
type ReadRun = Pick<RunRecord, 'runId' | 'threadId' | 'status' | 'attempt' | 'epochs'>;

export interface RunReader {
  readonly run: ReadRun;
  readonly repositories: Repositories;
  readonly signal: AbortSignal;
}

interface RunStreamParts {
  readonly tails: RunTails;
  /** How often a reader that was not woken polls a run that this process does not execute. */
  readonly pollAfterMs: () => number;
  readonly timers?: Timers;
}

const MAX_BATCH_EVENTS = 256;
const MAX_READ_BYTES = 65_536;

/** Finds what a new run wrote before its reader was there to be woken. */
const FIRST_POLL_MS = 250;

/** How long to wait for a place of a run that is executed elsewhere, and how often to poll for it. */
const MAX_REACH_MS = 1_000;
const REACH_EVERY_MS = 250;

export class RunStream {
  readonly #parts: RunStreamParts;

  constructor(parts: RunStreamParts) {
    this.#parts = parts;
  }

  /**
   * Yields the events after `after` in order, in batches, each exactly once: the durable ones first, then
   * others as they become durable. Ends after the `end` event, which comes exactly once for every run, even
   * for one that has lost its log. A reader that stops reading costs nothing; one whose signal aborts ends
   * quietly.
   *
   * If the database never had what the reader was shown (a restore, a failover), it continues after what is
   * left of that, and the first event of the batch reports this (`kept`). Waits for a place that may still
   * turn up.
   */
  async *read(reader: RunReader & LogPlace): AsyncGenerator<readonly LoggedEvent[], void, void> {
    const { tails, pollAfterMs, timers = REAL_TIMERS } = this.#parts;
    const { runId, status, attempt } = reader.run;
    let place: LogPlace = { after: reader.after, seen: reader.seen };
    let kept: SeenPlace | undefined;
    // A run that was never claimed has no log. Its reader is woken when it is claimed.
    let isNew = status === 'pending' && attempt === 0;
    tails.compare(reader.run);
    const pollLimit = (waitMs: number) => (tails.follows(runId, place) ? undefined : waitMs);
    const watch = tails.watches.watch(runId, { signal: reader.signal, timers });
    try {
      while (!reader.signal.aborted) {
        // Before the read, so that what becomes durable in between is not missed.
        watch.begin();
        const batch = await readAfter(tails, reader, { place, isNew });
        const waitMs = isNew ? FIRST_POLL_MS : pollAfterMs();
        isNew = false;
        if (batch.kind === 'lost') {
          kept = batch.kept;
          place = { after: kept.seq, seen: kept };
          continue;
        }
        const last = batch.events.at(-1);
        if (last === undefined) {
          await watch.woken(pollLimit(waitMs));
          continue;
        }
        yield withPlace(batch.events, kept);
        kept = undefined;
        if (last.event.type === 'end') return;
        place = { after: last.seq, seen: farther(place.seen, last) };
      }
    } finally {
      watch.stop();
    }
  }

  /**
   * True when the log of the run reaches `seq`, for a reader that does not know the epoch. Events of another
   * process are not visible immediately, so they are awaited for up to a second.
   */
  async reaches({ run: { runId, status }, repositories, signal }: RunReader, seq: number): Promise<boolean> {
    const { tails, timers = REAL_TIMERS } = this.#parts;
    const until = timers.elapsed() + MAX_REACH_MS;
    while (!signal.aborted) {
      if (tails.after(runId, { after: seq - 1 }, 1)?.length) return true;
      // Also while the run is executed here: another process may have taken it over before this one knows.
      if ((await repositories.frames.read(runId, seq - 1, 1)).length > 0) return true;
      if (status !== 'running' || timers.elapsed() >= until) return false;
      await pause(timers, REACH_EVERY_MS);
    }
    return false;
  }
}

/** A reader that reads a message again from its beginning has seen more than it has reached. */
function farther(seen: SeenPlace | undefined, { seq, epoch }: LoggedEvent): SeenPlace {
  return seen !== undefined && seen.seq > seq ? seen : { seq, epoch };
}

function withPlace(events: readonly LoggedEvent[], kept: SeenPlace | undefined): readonly LoggedEvent[] {
  const [first, ...rest] = events;
  return first === undefined || kept === undefined ? events : [{ ...first, kept }, ...rest];
}

type StreamBatch =
  | { readonly kind: 'events'; readonly events: readonly LoggedEvent[] }
  /** What the reader has seen no longer exists, or only up to a place. */
  | { readonly kind: 'lost'; readonly kept: SeenPlace };

const NOTHING_YET: StreamBatch = { kind: 'events', events: [] };

async function readAfter(
  tails: RunTails,
  reader: RunReader,
  { place, isNew }: { readonly place: LogPlace; readonly isNew: boolean },
): Promise<StreamBatch> {
  const { runId } = reader.run;
  const recent = tails.after(runId, place, MAX_BATCH_EVENTS);
  if (recent?.length) return { kind: 'events', events: recent };
  if (recent === undefined && isNew) return NOTHING_YET;
  if (recent !== undefined && tails.isOpen(runId)) return NOTHING_YET;
  return (recent === undefined ? await readStored(reader, place) : undefined) ?? silentRest(reader, place);
}

/** Returns what storage has after the place; `undefined` for nothing. */
async function readStored(
  { run, repositories }: RunReader,
  place: LogPlace,
): Promise<StreamBatch | undefined> {
  const rows = await repositories.frames.read(run.runId, place.after, MAX_READ_BYTES);
  const last = rows.at(-1);
  if (last === undefined) return undefined;
  const { epochs } = last;
  const events = rows
    .flatMap((row) => loggedEvents(row, place.after))
    .map((logged) => ({ ...logged, epoch: epochAt(epochs, logged.seq) }));
  return lossAt(epochs, place) ?? (events.length === 0 ? undefined : { kind: 'events', events });
}

function lossAt(epochs: readonly RunEpoch[], { seen }: LogPlace): StreamBatch | undefined {
  const through = seen === undefined ? 0 : intactThrough(epochs, seen);
  return seen === undefined || through === seen.seq ? undefined : lostBehind(epochs, through);
}

function lostBehind(epochs: readonly RunEpoch[], seq: number): StreamBatch {
  return { kind: 'lost', kept: { seq, epoch: epochAt(epochs, seq) } };
}

/** Returns what the log of a run that nobody executes lacks: its end, and its beginning if it never began. */
async function silentRest(reader: RunReader, place: LogPlace): Promise<StreamBatch> {
  const { runs, frames } = reader.repositories;
  const run = await runs.get(reader.run.runId);
  const epochs = run?.epochs ?? [];
  const loss = run && lossAt(epochs, place);
  if (loss !== undefined) return loss;
  if (run !== undefined && !isTerminal(run.status)) return NOTHING_YET;
  // It may have ended between the two reads. Its log has the end then.
  const rest = await readStored(reader, place);
  if (rest !== undefined) return rest;
  const [last] = await frames.readBack(reader.run.runId, { limit: 1 });
  // Nothing was ever shown after the end, so the end is sent again.
  if (last !== undefined && place.seen !== undefined && last.lastSeq < place.after)
    return lostBehind(epochs, last.lastSeq - 1);
  const { attempt } = run ?? reader.run;
  const words: readonly LogEvent[] =
    place.after === 0 ? [{ type: 'attempt', attempt }, lastWord(run)] : [lastWord(run)];
  const events = words.map((event, index) => {
    const seq = place.after + 1 + index;
    return { seq, epoch: epochOfEnd(epochs, seq), event };
  });
  return { kind: 'events', events };
}

/** Returns the end of a run whose log was cut short, or that was deleted while it was read. */
function lastWord(run: RunRecord | undefined): LogEvent {
  return {
    type: 'end',
    status: run?.status ?? 'interrupted',
    stopReason: run?.stopReason ?? 'interrupted_by_user',
  };
}

// A cursor over the log of a run: whoever streams, joins, waits or resumes reads through it.

import { isTerminal, type RunRecord } from '../storage/runs.ts';
import type { Repositories } from '../storage/storage.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../timers.ts';
import { type LogEvent, type LoggedEvent, loggedEvents } from './log-event.ts';
import type { RunTails, TailWatch } from './run-tails.ts';

/** What a reader keeps of its run: it may stay for long, and what the run was asked may be large. */
type ReadRun = Pick<RunRecord, 'runId' | 'threadId' | 'status' | 'attempt'>;

export interface RunReader {
  readonly run: ReadRun;
  readonly repositories: Repositories;
  /** The place of the last event that the reader has seen; 0 for none. */
  readonly after: number;
  readonly signal: AbortSignal;
}

export interface RunStream {
  /**
   * Events after `after` in order, in batches, each exactly once: what is durable first, then what becomes so. Ends
   * after the `end` event, which comes exactly once for every run, also for one that has lost its log. A reader
   * that stops reading costs nothing; one whose signal aborts ends quietly.
   */
  read(reader: RunReader): AsyncGenerator<readonly LoggedEvent[], void, void>;
}

interface RunStreamParts {
  readonly tails: RunTails;
  /** How often a run that another process executes is looked at. */
  readonly pollMs: number;
  readonly timers?: Timers;
}

const MAX_BATCH_EVENTS = 256;
const MAX_READ_BYTES = 65_536;

export function createRunStream(parts: RunStreamParts): RunStream {
  return { read: (reader) => readRun(parts, reader) };
}

async function* readRun(
  { tails, pollMs, timers = REAL_TIMERS }: RunStreamParts,
  reader: RunReader,
): AsyncGenerator<readonly LoggedEvent[], void, void> {
  const { runId, status, attempt } = reader.run;
  let { after } = reader;
  // A run that was never taken up has no log to look for: its reader is woken when it is taken up here.
  let isNew = status === 'pending' && attempt === 0;
  const watch = tails.watch(runId);
  const wake = (): void => watch.wake();
  reader.signal.addEventListener('abort', wake, { once: true });
  try {
    while (!reader.signal.aborted) {
      // Begun before the look, so that what becomes durable in between is not slept over.
      watch.begin();
      const recent = tails.after(runId, after, MAX_BATCH_EVENTS);
      const batch = recent?.length ? recent : await otherEvents(tails, reader, { after, isNew, recent });
      isNew = false;
      const last = batch.at(-1);
      if (last === undefined) {
        await untilChanged(watch, () => (tails.isOpen(runId) ? undefined : timers.after(pollMs, wake)));
        continue;
      }
      yield batch;
      if (last.event.type === 'end') return;
      after = last.seq;
    }
  } finally {
    watch.stop();
    reader.signal.removeEventListener('abort', wake);
  }
}

interface Look {
  readonly after: number;
  readonly isNew: boolean;
  /** What memory knows: nothing new, or nothing at all. */
  readonly recent: readonly LoggedEvent[] | undefined;
}

async function otherEvents(
  tails: RunTails,
  reader: RunReader,
  { after, isNew, recent }: Look,
): Promise<readonly LoggedEvent[]> {
  if (recent === undefined && isNew) return [];
  const batch = recent ?? (await storedEvents(reader, after));
  if (batch.length > 0) return batch;
  return silentRest(tails, reader, after);
}

async function storedEvents(
  { run, repositories }: RunReader,
  after: number,
): Promise<readonly LoggedEvent[]> {
  const rows = await repositories.frames.read(run.runId, after, MAX_READ_BYTES);
  return rows.flatMap((row) => loggedEvents(row, after));
}

/** What the log lacks of a run that nobody executes any more: its end, and its beginning if nobody ever did. */
async function silentRest(
  tails: RunTails,
  reader: RunReader,
  after: number,
): Promise<readonly LoggedEvent[]> {
  if (tails.isOpen(reader.run.runId)) return [];
  const run = await reader.repositories.runs.get(reader.run.runId);
  if (run !== undefined && !isTerminal(run.status)) return [];
  // It may have ended between the two looks: then its log has the end.
  const rest = await storedEvents(reader, after);
  if (rest.length > 0) return [];
  const { attempt } = run ?? reader.run;
  const words: readonly LogEvent[] =
    after === 0 ? [{ type: 'attempt', attempt }, lastWord(run)] : [lastWord(run)];
  return words.map((event, index) => ({ seq: after + 1 + index, event }));
}

/** The end of a run whose log was cut short, or which was deleted under its reader. */
function lastWord(run: RunRecord | undefined): LogEvent {
  return {
    type: 'end',
    status: run?.status ?? 'interrupted',
    stopReason: run?.stopReason ?? 'interrupted_by_user',
  };
}

async function untilChanged(watch: TailWatch, poll: () => CancelTimer | undefined): Promise<void> {
  const changed = watch.changed();
  if (changed === undefined) return;
  const cancelPoll = poll();
  await changed;
  cancelPoll?.();
}

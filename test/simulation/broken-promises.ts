// What does not hold of a world when it is still.

import { foldDeltas } from '../../src/messages/thread-state.ts';
import type { Runs } from '../../src/runs/create-runs.ts';
import { loggedEvents } from '../../src/runs/log/log-event.ts';
import { FROM_THE_START, framePosition } from '../../src/runs/reading/frame-position.ts';
import type { NumberedFrame } from '../../src/runs/reading/run-frames.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { parsedDelta } from '../../src/storage/thread-states.ts';
import {
  brokenInvariants,
  type ReadEvidence,
  type RunEvidence,
  type ThreadEvidence,
} from '../faults/invariants.ts';
import { differencesIn } from '../support/stored-truth.ts';
import { MODES, type Reading } from './simulated-client.ts';
import { createProcess, LEASE_MS, USER } from './simulated-process.ts';
import type { Effect, World } from './world.ts';

const LONGEST_REPLAY_MS = 120_000;
/** A process that slept through a loss does what it had noted before. */
const LONGEST_SLEEP_MS = 6 * LEASE_MS;

interface Seen {
  readonly threadIds: readonly string[];
  readonly readings: readonly Reading[];
  /** No process has died or slept, and the database has lost nothing. */
  readonly isUndisturbed: boolean;
}

/** One sentence for each. */
export async function brokenPromises(
  world: World,
  { threadIds, readings, isUndisturbed }: Seen,
): Promise<readonly string[]> {
  const broken: string[] = [];
  const { runs } = createProcess(world);
  const { storage } = world.database;
  for (const threadId of threadIds) {
    const thread = await evidenceOf(storage, threadId);
    const kept = new Set(thread.runs.map(({ runId }) => runId));
    const asked = readings.filter(({ run }) => run.threadId === threadId);
    const own = asked.filter(({ run }) => kept.has(run.runId));
    const gone = asked.filter(({ run }) => !kept.has(run.runId));
    const effects = effectsOf(world, threadId);
    const readers = await within(world, Promise.all(own.map((reading) => replayOf(world, runs, reading))));
    if (readers === undefined) broken.push('I12: a replay does not end');
    broken.push(...brokenInvariants(thread, readers ?? [], effects), ...brokenOrder(own, thread));
    broken.push(...gone.flatMap((reading) => brokenAbsence(world, reading)));
    broken.push(...own.flatMap((reading) => brokenNotices(world, reading)));
    if (isUndisturbed) broken.push(...repeatedRuns(thread));
  }
  return [...broken, ...(await brokenCopies(world))];
}

/** Usage, totals, titles and the like are what the record says. Which run ended last is told by clocks. */
async function brokenCopies({ database, hasWrongClocks }: World): Promise<readonly string[]> {
  const differences = await differencesIn(database.storage);
  return differences
    .filter(({ projection }) => !hasWrongClocks || projection !== 'thread status')
    .map((difference) => `what is stored twice differs: ${JSON.stringify(difference)}`);
}

/** Where every process lives, no run is taken up twice. */
function repeatedRuns({ runs }: ThreadEvidence): readonly string[] {
  return runs.flatMap(({ runId, attempt }) =>
    attempt > 1 ? [`run ${runId} was taken up ${attempt} times though nobody died`] : [],
  );
}

/** Only what was accepted after the copy was made may be gone. */
function brokenAbsence({ losses }: World, { run, acceptedAt }: Reading): readonly string[] {
  const isLost = losses.some(({ copiedAt }) => acceptedAt >= copiedAt);
  return isLost ? [] : [`run ${run.runId} was accepted, and is gone`];
}

/** Nobody is told that something is gone when everything is there. */
function brokenNotices({ losses }: World, { run, frames, goneAt }: Reading): readonly string[] {
  const broken: string[] = [];
  if (goneAt !== undefined) broken.push(`a reader was told that there is no run ${run.runId}`);
  if (losses.length === 0 && frames.some(({ event }) => event === 'gap'))
    broken.push(`a reader of run ${run.runId} was told of a gap, and nothing was lost`);
  return broken;
}

/** Those of one timeline: a call whose note was lost takes effect once more. */
function effectsOf({ effects, losses }: World, threadId: string): readonly Effect[] {
  const own = effects.filter((it) => it.threadId === threadId);
  const isLost = ({ at }: Effect): boolean =>
    losses.some(({ copiedAt, lostAt }) => at >= copiedAt && at <= lostAt + LONGEST_SLEEP_MS);
  const isRepeated = (effect: Effect, index: number): boolean =>
    own.findIndex(({ tool, callId }) => tool === effect.tool && callId === effect.callId) !== index;
  const firstOfLost = own.filter((effect, index) => isLost(effect) && !isRepeated(effect, index));
  return own.filter((effect) => !firstOfLost.includes(effect));
}

/** The result, if time need not pass for ever until it is there. */
async function within<T>({ time }: World, work: Promise<T>): Promise<T | undefined> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  await time.run(() => isOver, LONGEST_REPLAY_MS);
  return isOver ? over : undefined;
}

/** What a process that was never told anything shows of the run from its first event on. */
async function replayOf(world: World, runs: Runs, { run, frames }: Reading): Promise<ReadEvidence> {
  const replayed: NumberedFrame[] = [];
  const repositories = world.database.storage.as(USER);
  const { signal } = new AbortController();
  const after = FROM_THE_START;
  for await (const batch of runs.service.frames({ repositories, run, modes: MODES, after, signal }))
    replayed.push(...batch);
  return { runId: run.runId, received: keptFrames(frames), replayed };
}

/** What a client has of a run when it does as the gaps say. */
function keptFrames(frames: readonly NumberedFrame[]): readonly NumberedFrame[] {
  let kept: readonly NumberedFrame[] = [];
  for (const frame of frames) {
    if (frame.event !== 'gap') kept = [...kept, frame];
    else {
      const { kept_through: through }: { readonly kept_through: number } = JSON.parse(String(frame.data));
      kept = kept.filter(({ id }) => framePosition(id).seq <= through);
    }
  }
  return kept;
}

/** A run that was accepted before another one was asked for begins before it. */
function brokenOrder(readings: readonly Reading[], { events }: ThreadEvidence): readonly string[] {
  const begun = readings.flatMap(({ run: { runId, startAfter }, askedAt, acceptedAt }) => {
    const start = events.find((it) => it.runId === runId && it.eventType === 'run_start');
    return start === undefined || startAfter !== null ? [] : [{ runId, askedAt, acceptedAt, seq: start.seq }];
  });
  return begun.flatMap((early) =>
    begun
      .filter((late) => early.acceptedAt < late.askedAt && early.seq > late.seq)
      .map((late) => `FIFO: run ${late.runId} began before run ${early.runId}`),
  );
}

async function evidenceOf(storage: Storage, threadId: string): Promise<ThreadEvidence> {
  const { threads, runs, runEvents, frames, checkpoints } = storage.as(USER);
  const thread = await threads.get(threadId);
  if (thread === undefined) throw new Error(`There is no thread ${threadId}.`);
  const records = (await runs.list(threadId, { limit: 1_000, offset: 0 })).toReversed();
  const evidence = await Promise.all(
    records.map(async (run): Promise<RunEvidence> => {
      const rows = await frames.read(run.runId, 0, 10_000_000);
      return {
        ...run,
        totalTokens: run.totals.totalTokens,
        llmCallCount: run.totals.llmCallCount,
        rows: rows.map((row) => ({ ...row, events: loggedEvents(row, 0).map(({ event }) => event) })),
      };
    }),
  );
  const { events } = await runEvents.list(threadId, { cursor: { kind: 'after', seq: 0 }, limit: 10_000 });
  const head = thread.headCheckpointId;
  const lineage = head === null ? [] : await checkpoints.lineage(threadId, head);
  const folded = foldDeltas(lineage.map(parsedDelta)).messages;
  return { threadId, status: thread.status, runs: evidence, events, folded };
}

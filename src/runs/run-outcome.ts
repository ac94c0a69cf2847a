// The end of a run, for those who wait for it, and what the run gave back.
import { EMPTY_STATE, serializedValues } from '../messages/thread-state.ts';
import type { FrameRepository } from '../storage/frames.ts';
import { headBefore, isTerminal, type RunRecord } from '../storage/runs.ts';
import type { Repositories } from '../storage/storage.ts';
import type { ThreadStates } from '../storage/thread-states.ts';
import { loggedEvents } from './log-event.ts';
import { errorName } from './run-ending.ts';
import type { RunReader, RunStream } from './run-stream.ts';

/** Resolves when the run has ended. Throws the signal's reason when that comes first. */
export async function untilEnd(stream: RunStream, reader: Omit<RunReader, 'after'>): Promise<void> {
  const { run, repositories, signal } = reader;
  if (isTerminal(run.status)) return;
  const [last] = run.attempt === 0 ? [] : await repositories.frames.readBack(run.runId, { limit: 1 });
  for await (const batch of stream.read({ ...reader, after: last?.lastSeq ?? 0 })) {
    if (batch.at(-1)?.event.type === 'end') return;
  }
  signal.throwIfAborted();
}

/** JSON text of the final values of an ended run, or `{"__error__": ...}` of one that failed. */
export async function runOutcome(
  states: ThreadStates,
  { checkpoints, frames }: Repositories,
  run: RunRecord,
): Promise<string> {
  if (run.status === 'error' || run.status === 'timeout') {
    const message = run.error ?? 'The run failed.';
    return JSON.stringify({ __error__: { error: errorName(run.stopReason), message } });
  }
  const isUndone = run.stopReason === 'rolled_back';
  const checkpointId = isUndone
    ? headBefore(run)
    : ((await lastCheckpoint(frames, run)) ?? run.baseCheckpointId);
  const folded = checkpointId === null ? undefined : await states.at(checkpoints, run.threadId, checkpointId);
  return serializedValues(folded?.state ?? EMPTY_STATE);
}

/** The id of the checkpoint that the run wrote last; `undefined` when it wrote none. */
async function lastCheckpoint(frames: FrameRepository, { runId }: RunRecord): Promise<string | undefined> {
  let before = Number.MAX_SAFE_INTEGER;
  // Nearly always written just before the end, so it is in the last row.
  for (let limit = 1; ; limit *= 2) {
    const rows = await frames.readBack(runId, { before, limit });
    const newestFirst = rows.flatMap((row) => loggedEvents(row, 0).toReversed());
    const [last] = newestFirst.flatMap(({ event }) => (event.type === 'state' ? [event.checkpointId] : []));
    if (last !== undefined || rows.length < limit) return last;
    before = rows.at(-1)?.firstSeq ?? 0;
  }
}

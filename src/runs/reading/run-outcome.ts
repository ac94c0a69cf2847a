// The end of a run, for callers that wait for it, and the run's output.
import { EMPTY_STATE, piecesOfValues } from '../../messages/thread-state.ts';
import type { FrameRepository } from '../../storage/frames.ts';
import { headBefore, isTerminal, type RunRecord } from '../../storage/runs.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { ThreadStates } from '../../storage/thread-states.ts';
import { loggedEvents, type StateWritten } from '../log/log-event.ts';
import { errorName } from '../log/run-ending.ts';
import type { RunReader, RunStream } from './run-stream.ts';

/** Resolves when the run has ended. Throws the signal's reason if it aborts first. */
export async function untilEnd(stream: RunStream, reader: RunReader): Promise<void> {
  const { run, repositories, signal } = reader;
  if (isTerminal(run.status)) return;
  const [last] = run.attempt === 0 ? [] : await repositories.frames.readBack(run.runId, { limit: 1 });
  for await (const batch of stream.read({ ...reader, after: last?.lastSeq ?? 0 })) {
    if (batch.at(-1)?.event.type === 'end') return;
  }
  signal.throwIfAborted();
}

/** Returns the final values as JSON in pieces, with `__interrupt__` if waiting, or `__error__` if failed. */
export async function runOutcome(
  states: ThreadStates,
  { checkpoints, frames }: Repositories,
  run: RunRecord,
): Promise<Iterable<string>> {
  if (run.status === 'error' || run.status === 'timeout') {
    const message = run.error ?? 'The run failed.';
    return [JSON.stringify({ __error__: { error: errorName(run.stopReason), message } })];
  }
  const isUndone = run.stopReason === 'rolled_back';
  const last = isUndone ? undefined : await lastState(frames, run);
  const checkpointId = isUndone ? headBefore(run) : (last?.checkpointId ?? run.baseCheckpointId);
  const folded = checkpointId === null ? undefined : await states.at(checkpoints, run.threadId, checkpointId);
  // A run that was requested to stop at a node waits as well, without a question.
  const waits = run.stopReason === 'awaiting_input' && last !== undefined && last.next.length > 0;
  const asked = waits ? { __interrupt__: last.interrupts ?? [] } : {};
  const { messages, values } = folded?.state ?? EMPTY_STATE;
  return piecesOfValues({ messages, values: { ...values, ...asked } });
}

/** Returns the last checkpoint that the run wrote; `undefined` if it wrote none. */
async function lastState(frames: FrameRepository, { runId }: RunRecord): Promise<StateWritten | undefined> {
  let before = Number.MAX_SAFE_INTEGER;
  // It is nearly always written just before the end, so it is in the last row.
  for (let limit = 1; ; limit *= 2) {
    const rows = await frames.readBack(runId, { before, limit });
    const newestFirst = rows.flatMap((row) => loggedEvents(row, 0).toReversed());
    const [last] = newestFirst.flatMap(({ event }) => (event.type === 'state' ? [event] : []));
    if (last !== undefined || rows.length < limit) return last;
    before = rows.at(-1)?.firstSeq ?? 0;
  }
}

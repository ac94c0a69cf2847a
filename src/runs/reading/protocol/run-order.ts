// In which order the runs of a thread are told, and with which one to begin. Pure.
import { isTerminal, type RunRecord } from '../../../storage/runs.ts';

/**
 * The first run to tell to somebody who comes now, out of the runs of the thread, newest first: the run that goes on,
 * or the latest one. A run that another was queued behind belongs to it: who was there for the one and lost the
 * connection must not miss the end of the other.
 */
export function firstRun(newestFirst: readonly RunRecord[]): RunRecord | undefined {
  const [latest, ...earlier] = newestFirst;
  let first = latest;
  for (const run of earlier) {
    if (first === undefined || !isQueuedBehind(first, run)) break;
    first = run;
  }
  return first;
}

function isQueuedBehind(run: RunRecord, earlier: RunRecord): boolean {
  return !isTerminal(earlier.status) || (earlier.finishedAt ?? 0) > run.createdAt;
}

/**
 * Runs of a thread in the order of their numbers; then those that have no place yet, as they were accepted. A run that is
 * cancelled while it waits comes after the one that runs.
 */
export function inOrder(runs: readonly RunRecord[]): readonly RunRecord[] {
  return runs.toSorted(
    (one, other) => rank(one) - rank(other) || time(one) - time(other) || byId(one, other),
  );
}

function rank({ numbersFrom }: RunRecord): number {
  return numbersFrom === null ? 1 : 0;
}

function time({ numbersFrom, createdAt }: RunRecord): number {
  return numbersFrom ?? createdAt;
}

/** Where the numbers of its events begin. */
export function placeOf(run: RunRecord): number {
  return run.numbersFrom ?? startOf(run);
}

/** When the run was first taken up; a run that never was: when it ended. */
export function startOf({ startedAt, finishedAt, createdAt }: RunRecord): number {
  return startedAt ?? finishedAt ?? createdAt;
}

function byId(one: RunRecord, other: RunRecord): number {
  return one.runId < other.runId ? -1 : 1;
}

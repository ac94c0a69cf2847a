// Maps positions in a run's log to epochs, and finds how much of what a reader has seen still exists. Pure.
import type { RunEpoch } from '../../storage/runs.ts';

/** An event that a reader was shown. `epoch` is the name of its epoch; `undefined` if that has none. */
export interface SeenPlace {
  readonly seq: number;
  readonly epoch: string | undefined;
}

/** The epoch shown for a run that ended before it was ever claimed. */
const NEVER_BEGUN = 'none';

/** Returns the epoch of a run's end that is not in its log. */
export function epochOfEnd(epochs: readonly RunEpoch[], seq: number): string | undefined {
  return epochs.length === 0 ? NEVER_BEGUN : epochAt(epochs, seq);
}

export function epochAt(epochs: readonly RunEpoch[], seq: number): string | undefined {
  return epochs.findLast(({ firstSeq }) => firstSeq <= seq)?.name;
}

/**
 * Returns the last position up to which the log is as the reader has seen it. That is the reader's position,
 * unless the database lost a part of what the reader has seen. One worker wrote an epoch that still exists,
 * so only its end may be lost; about an epoch that no longer exists, nothing is known.
 */
export function intactThrough(epochs: readonly RunEpoch[], { seq, epoch }: SeenPlace): number {
  if (epoch === NEVER_BEGUN && epochs.length === 0) return seq;
  const index = epoch === undefined ? -1 : epochs.findIndex(({ name }) => name === epoch);
  const begin = epoch === undefined ? 0 : (epochs[index]?.firstSeq ?? Number.POSITIVE_INFINITY);
  if (seq < begin) return 0;
  const next = epochs[index + 1];
  return next === undefined ? seq : Math.min(seq, next.firstSeq - 1);
}

const NAME_CHARACTERS = 8;

/** Returns a name for an epoch, made of the random end of a new id. */
export function epochName(newId: string): string {
  return newId.replaceAll('-', '').slice(-NAME_CHARACTERS);
}

// Maps places of a run's log to epochs, and tells how much of what a reader has seen still exists. Pure.
import type { RunEpoch } from '../../storage/runs.ts';

/** An event that a reader was shown. `epoch`: the name of the one that it was of; `undefined`: of none with a name. */
export interface SeenPlace {
  readonly seq: number;
  readonly epoch: string | undefined;
}

/** The epoch shown for a run that ended before it was ever taken up. */
const NEVER_BEGUN = 'none';

/** The epoch of the end of a run whose log does not have it. */
export function epochOfEnd(epochs: readonly RunEpoch[], seq: number): string | undefined {
  return epochs.length === 0 ? NEVER_BEGUN : epochAt(epochs, seq);
}

/** The name of the epoch to which this place of the log belongs. */
export function epochAt(epochs: readonly RunEpoch[], seq: number): string | undefined {
  return epochs.findLast(({ firstSeq }) => firstSeq <= seq)?.name;
}

/**
 * The last place at which the log is as the reader has seen it: the place that it has come to, unless what it has seen was
 * lost with a part of the database. An epoch that is still there was written by one worker, so only its end may be lost; of
 * one that is not there nothing can be said.
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

/** A name for an epoch, made of a new id whose end is random. */
export function epochName(newId: string): string {
  return newId.replaceAll('-', '').slice(-NAME_CHARACTERS);
}

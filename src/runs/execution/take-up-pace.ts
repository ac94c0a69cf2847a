// Limits how fast waiting runs are claimed, so that a restart does not flood the model provider.
import type { Timers } from '../../timers.ts';

export interface TakeUpPace {
  allowed(): number;
  took(runs: number): void;
  /** Reports that a run has ended. Another may take its place, regardless of the pace. */
  freed(): void;
  /** Reports that nothing waits. Places that are free now must not allow a burst later. */
  nothingWaits(): void;
  /** Returns the milliseconds until the next group may be claimed. */
  msUntilMore(): number;
}

/** Runs are claimed in so many small groups per second, so a group is never more than a part of the pace. */
const GROUPS_PER_SECOND = 10;

export function createTakeUpPace(perSecond: number, { elapsed }: Pick<Timers, 'elapsed'>): TakeUpPace {
  const group = Math.max(1, perSecond / GROUPS_PER_SECOND);
  let saved = group;
  let savedAt = elapsed();
  let free = 0;

  const save = (): number => {
    const now = elapsed();
    saved = Math.min(group, saved + ((now - savedAt) / 1_000) * perSecond);
    savedAt = now;
    return saved;
  };

  return {
    allowed: () => Math.max(free, Math.floor(save())),
    took(runs) {
      // A run that replaces another counts as well: it calls the provider just as often.
      free = Math.max(0, free - runs);
      saved = Math.max(0, save() - runs);
    },
    freed() {
      free++;
    },
    nothingWaits() {
      free = 0;
    },
    // Rounded up, because a timer that fires early would find nothing saved.
    msUntilMore: () => Math.ceil(((group - save()) / perSecond) * 1_000) + 1,
  };
}

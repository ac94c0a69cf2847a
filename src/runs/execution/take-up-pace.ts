// Limits how fast waiting runs are claimed, so that a restart does not flood the model provider.
import type { Timers } from '../../timers.ts';

export type TakeUpPace = ReturnType<typeof createTakeUpPace>;

/** Runs are claimed in so many small groups per second, so a group is never more than a part of the pace. */
const GROUPS_PER_SECOND = 10;

export function createTakeUpPace(perSecond: number, { elapsed }: Pick<Timers, 'elapsed'>) {
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
    allowed: (): number => Math.max(free, Math.floor(save())),
    took(runs: number): void {
      // A run that replaces another counts as well: it calls the provider just as often.
      free = Math.max(0, free - runs);
      saved = Math.max(0, save() - runs);
    },
    /** Reports that a run has ended. Another may take its place, regardless of the pace. */
    freed(): void {
      free++;
    },
    /** Reports that nothing waits. Places that are free now must not allow a burst later. */
    nothingWaits(): void {
      free = 0;
    },
    /** Returns the milliseconds until the next group may be claimed. */
    // Rounded up, because a timer that fires early would find nothing saved.
    msUntilMore: (): number => Math.ceil(((group - save()) / perSecond) * 1_000) + 1,
  };
}

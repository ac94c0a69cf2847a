// The settings that every kind of shared work has, to be put among those of its part.
import { z } from 'zod';
import type { FairShareLimits } from './fair-share.ts';

interface FairShareSettings {
  readonly at_once: number;
  readonly per_user: number;
  readonly waiting_per_user: number;
}

/** The keys, with what they are unless they are set. */
export function fairShareFields(defaults: FairShareSettings) {
  return {
    /** How many at the same time, of all users; others wait, and the users take turns. */
    at_once: z.int().min(1).max(1_024).default(defaults.at_once),
    /** How many at the same time of one user; fewer than `at_once`, others find room at once. */
    per_user: z.int().min(1).max(1_024).default(defaults.per_user),
    /** How many of one user may wait; what comes beyond is refused. */
    waiting_per_user: z.int().min(0).max(10_000).default(defaults.waiting_per_user),
  };
}

export function fairShareLimits(settings: FairShareSettings, longestWaitMs: number): FairShareLimits {
  return {
    total: settings.at_once,
    perOwner: settings.per_user,
    waitingPerOwner: settings.waiting_per_user,
    longestWaitMs,
  };
}

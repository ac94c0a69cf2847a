// The settings of every kind of shared work, to be added to the options of its module.
import { z } from 'zod';
import type { FairShareLimits } from './fair-share.ts';

interface FairShareSettings {
  readonly at_once: number;
  readonly per_user: number;
  readonly waiting_per_user: number;
}

/** Returns the keys with their defaults. */
export function fairShareFields(defaults: FairShareSettings) {
  return {
    /** Concurrent work of all users. Further work waits, and the users take turns. */
    at_once: z.int().min(1).max(1_024).default(defaults.at_once),
    /** Concurrent work of one user. If this is less than `at_once`, one user cannot take all places. */
    per_user: z.int().min(1).max(1_024).default(defaults.per_user),
    /** Waiting work of one user. Further work is refused. */
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

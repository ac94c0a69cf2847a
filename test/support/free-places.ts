// Fair shares for tests in which nothing has to wait.
import { createFairShare, type FairShare } from '../../src/fair-share/fair-share.ts';

export function freePlaces(): FairShare {
  return createFairShare({ total: 100, perOwner: 100, waitingPerOwner: 0, longestWaitMs: 0 });
}

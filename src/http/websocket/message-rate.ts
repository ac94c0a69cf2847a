// How many messages a client may send on one socket: a bucket that refills.

export interface MessageRate {
  /** Whether one more message is within the rate. */
  take(): boolean;
}

const BURST = 60;
const PER_SECOND = 20;

export function createMessageRate(now: () => number): MessageRate {
  let left = BURST;
  let countedAt = now();
  return {
    take() {
      const at = now();
      left = Math.min(BURST, left + (Math.max(0, at - countedAt) / 1000) * PER_SECOND);
      countedAt = at;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

// Ids that sort by the time at which they were made: UUIDs of version 7 (RFC 9562).
import { randomUUID } from 'node:crypto';

/** Twelve bits: more ids of one millisecond take the next one. */
const MOST_IN_A_MILLISECOND = 0xfff;

/**
 * Makes ids that only rise, also where the clock (epoch milliseconds) stands still or steps back. Two makers never agree: 62
 * bits of each id are random.
 */
export function createUuidV7(now: () => number = Date.now): () => string {
  let milliseconds = 0;
  let count = 0;
  let head = '';
  const begin = (time: number): void => {
    milliseconds = time;
    count = 0;
    const hex = time.toString(16).padStart(12, '0');
    head = `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
  };
  return () => {
    const time = now();
    if (time > milliseconds) begin(time);
    else if (count === MOST_IN_A_MILLISECOND) begin(milliseconds + 1);
    else count += 1;
    // Node draws the random bytes of many of these at once; variant and random bits stand at the same places.
    return `${head}${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
  };
}

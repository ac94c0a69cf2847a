// Ids that sort by creation time: UUIDs of version 7 (RFC 9562).
import { randomUUID } from 'node:crypto';

/** Twelve bits. Further ids of one millisecond use the next one. */
const MOST_IN_A_MILLISECOND = 0xfff;

/** Creates rising ids, even if the clock (epoch milliseconds) stops or steps back. 62 bits are random. */
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
    // Node draws the random bytes of many UUIDs together. Variant and random bits have the same positions.
    return `${head}${count.toString(16).padStart(3, '0')}${randomUUID().slice(18)}`;
  };
}

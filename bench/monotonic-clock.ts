// A clock that all processes of the machine share and that is never set.

/** Microseconds since some moment before every process of the bench. */
export function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

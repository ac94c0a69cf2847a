// The clock that the processes of a cluster share.
import { expect, it } from 'vitest';
import { clockOfDatabase } from '../../src/storage/sql/database/shared-clock.ts';

it('[storage.clock] runs evenly, and is corrected as far as a response of the database proves it wrong', () => {
  let elapsed = 1_000;
  const clock = clockOfDatabase(50_000, () => elapsed);
  elapsed = 2_000;
  expect(clock.now()).toBe(51_000);
  // Requested at 1,900 and received at 2,000: the time of the database lies in between.
  clock.heard(50_950, 1_900);
  expect(clock.now()).toBe(51_000);
  clock.heard(51_020, 1_900);
  expect(clock.now()).toBe(51_020);
  clock.heard(50_000, 1_900);
  expect(clock.now()).toBe(50_100);
  // A response that took long proves little.
  elapsed = 9_000;
  clock.heard(52_000, 2_000);
  expect(clock.now()).toBe(57_100);
});

// A package on its way in keeps off the floor of free space, as uploads do.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { withSpooled } from '../../src/transfer/spool.ts';

const MIB = 1_048_576;

let dataHome: string;
beforeEach(() => {
  dataHome = mkdtempSync(join(tmpdir(), 'spool-'));
});
afterEach(() => rmSync(dataHome, { recursive: true }));

/** As many megabytes as were asked for, and how many that were. */
function endless() {
  const taken = { megabytes: 0 };
  async function* pieces() {
    for (; ; taken.megabytes += 1) yield Buffer.alloc(MIB);
  }
  return { taken, pieces: pieces() };
}

const spool = (freeDisk: () => Promise<number>) => ({
  dataHome,
  maxBytes: 100 * MIB,
  freeDisk,
  newId: randomUUID,
});
const nobody = () => Promise.reject(new Error('Nobody reads it.'));
const full = { code: 'insufficient_storage' };

it('[quota.floor] of a package nothing is read while the disk is below its floor', async () => {
  const { taken, pieces } = endless();
  await expect(
    withSpooled(
      spool(async () => 0),
      pieces,
      nobody,
    ),
  ).rejects.toMatchObject(full);
  expect(taken.megabytes).toBe(0);
  expect(readdirSync(join(dataHome, 'tmp'))).toEqual([]);
});

it('[quota.floor] a package under way is refused when the disk comes to its floor', async () => {
  const { taken, pieces } = endless();
  const freeDisk = async () => (taken.megabytes < 8 ? 1 : -1);
  await expect(withSpooled(spool(freeDisk), pieces, nobody)).rejects.toMatchObject(full);
  expect(taken.megabytes).toBeGreaterThanOrEqual(8);
  expect(taken.megabytes).toBeLessThan(16);
  expect(readdirSync(join(dataHome, 'tmp'))).toEqual([]);
});

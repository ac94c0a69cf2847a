// An export goes no faster than its reader, and ends with it.
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createPackageWriter } from '../../src/transfer/package-writer.ts';

it('[transfer.export.pace] what is not read is not written, and a disconnect ends the export', async () => {
  const writer = createPackageWriter(() => 0);
  let made = 0;
  let ended = false;
  async function* endless(): AsyncGenerator<Uint8Array, void> {
    try {
      for (; ; made++) {
        yield randomBytes(65_536);
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      ended = true;
    }
  }
  const added = writer.add('endless', endless());
  added.catch(() => {});
  let before = -1;
  // It stands still once its buffers are full.
  await expect
    .poll(() => {
      const still = made > 0 && made === before;
      before = made;
      return still;
    })
    .toBe(true);
  expect(made).toBeLessThan(100);
  const stoodAt = made;
  let read = 0;
  for await (const piece of writer.output) {
    read += Buffer.from(piece).length;
    if (read > 100_000) break;
  }
  expect(made).toBeGreaterThanOrEqual(stoodAt);
  await expect(added).rejects.toThrow();
  await expect.poll(() => ended).toBe(true);
});

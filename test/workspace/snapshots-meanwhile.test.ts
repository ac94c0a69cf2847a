// Files that change during a snapshot: each is stored whole, as it was at some moment, under its own hash.
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_LIMITS } from '../../src/workspace/quota/disk-use.ts';
import { workspaceOptionsSchema } from '../../src/workspace/snapshots/snapshot-options.ts';
import { createSnapshots } from '../../src/workspace/snapshots/snapshots.ts';
import { temporaryFolder } from './temporary-folder.ts';

const PLACE = { userId: 'ann', threadId: 't1' };
/** Larger than one read, and smaller. */
const SIZES = [2_000_000, 10_000];
const POINTS = 8;

it('[undo.meanwhile] files are swapped, rewritten in place and removed during snapshots', async () => {
  const dataHome = await temporaryFolder();
  const thread = join(dataHome, 'users', 'ann', 'threads', 't1');
  const workspace = join(thread, 'user-data', 'workspace');
  await mkdir(workspace, { recursive: true });
  const { snapshots: options } = workspaceOptionsSchema.parse({});
  const snapshots = createSnapshots({ dataHome, diskUseOf: NO_LIMITS, options, now: Date.now });
  let going = true;
  const writing = SIZES.map(async (size, index) => {
    for (let round = 0; going; round += 1) {
      const text = String.fromCharCode(97 + (round % 26)).repeat(size);
      await writeFile(join(workspace, `draft${index}`), text);
      await rename(join(workspace, `draft${index}`), join(workspace, `swapped${index}`));
      const inPlace = await open(join(workspace, `in-place${index}`), 'w');
      for (let at = 0; at < size; at += size / 4) await inPlace.write(text.slice(at, at + size / 4));
      await inPlace.close();
    }
  });
  const numbers: number[] = [];
  for (let taken = 0; taken < POINTS; taken += 1) {
    const point = await snapshots.take(PLACE, { kind: 'run_end', runId: `r${taken}`, checkpointId: null });
    if (point !== undefined) numbers.push(point.number);
  }
  going = false;
  await Promise.all(writing);
  expect(numbers).toHaveLength(POINTS);
  const objects = join(thread, 'snapshots', 'objects');
  for (const first of await readdir(objects))
    for (const rest of await readdir(join(objects, first))) {
      const bytes = await readFile(join(objects, first, rest));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(first + rest);
    }
  for (const number of numbers) {
    const { left } = await snapshots.restore(PLACE, { kind: 'point', number });
    expect(left).toEqual([]);
    for (const name of (await readdir(workspace)).filter((it) => it.startsWith('swapped'))) {
      const text = await readFile(join(workspace, name), 'utf8');
      // A swap of files is atomic, so that no snapshot sees half of it.
      expect([name, new Set(text).size, SIZES.includes(text.length)]).toEqual([name, 1, true]);
    }
  }
});

// Long texts in a SQLite file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packText, unpackText } from '../../src/storage/sql/database/packed-text.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import {
  ANN,
  finishRun,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

const LONG = JSON.stringify({
  messages: Array.from({ length: 12 }, (_, n) => ({
    id: `m${n}`,
    content: `the house stands on seven floors ${n}`,
    type: 'ai',
  })),
  values: {},
});

/** `LONG` as the first version of format 1 wrote it. */
const PACKED_LONG =
  'AZXTSQqAMBBE0av0AVw4D/cx4kINGHXn3aVAkEiJ1P7zkFjNtjyn0Za30dno9+AMD90H84sFd7jFhsn7NRjy59ecyX0Sc3wSvwxyxuTa1yBnTKExyBlTagxyxlQag5wxtcYgZ0yjMcgZ02oMcsZ0GoOczk+ccfa5Y3XIryXHF3cB';

describe('packed texts', () => {
  it('[storage.packed] restores packed texts of any length and any characters', () => {
    const piece = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
    const text = fc.tuple(piece, fc.integer({ min: 0, max: 3_000 })).map(([it, times]) => it.repeat(times));
    const comesBack = fc.property(text, (it) => unpackText(packText(it)) === it);
    fc.assert(comesBack, { seed: 20_261_121 });
  });

  it('[storage.packed] can read bytes of the first format', () => {
    expect(unpackText(Buffer.from(PACKED_LONG, 'base64'))).toBe(LONG);
    expect(() => unpackText(Uint8Array.of(9, 1, 2, 3))).toThrow('unknown format');
  });

  it('leaves short texts and very long ones unpacked', () => {
    for (const text of ['', 'short', 'x'.repeat(100_000)]) expect(packText(text)).toBe(text);
  });
});

describe('long texts in a SQLite file', () => {
  let folder: string;
  let storage: Storage;
  let file: DatabaseSync;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storage-'));
    const path = join(folder, 'service.db');
    storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
    file = new DatabaseSync(path);
  });
  afterEach(async () => {
    file.close();
    await storage.close();
    await rm(folder, { recursive: true, force: true });
  });

  const frames = { firstSeq: 1, lastSeq: 1, attempt: 1, events: `[${LONG}]` };
  const prompt = `${LONG} `.repeat(12);
  /** Writes one of each kind of long text. */
  const write = async () => {
    await storage.as(ANN).threads.create({ threadId: 't', metadata: {}, assistantId: null, now: 1 });
    const run = await startRunOn(storage, ANN, sampleRun('r', 't', { kwargs: { input: LONG } }));
    const change = sampleChange(run, {
      frames,
      events: [sampleEvent(LONG), sampleEvent(prompt, { category: 'trace' })],
      checkpoints: [
        sampleCheckpoint('a', null, { delta: LONG }),
        sampleCheckpoint('b', 'a', { delta: LONG, snapshot: prompt }),
        sampleCheckpoint('c', 'b', { delta: LONG }),
      ],
    });
    await storage.runCommits.commit([change], 3000);
    await finishRun(storage, run);
    await storage.frameRetention.replace('r', frames);
  };
  const expectAll = async () => {
    const { runs, runEvents, checkpoints, frames: streams } = storage.as(ANN);
    expect(await runs.get('r')).toMatchObject({ kwargs: { input: LONG } });
    const { events } = await runEvents.list('t', { cursor: { kind: 'newest' }, limit: 9 });
    expect(events.map(({ content }) => content)).toEqual([LONG, prompt]);
    expect(await streams.read('r', 0, 1)).toMatchObject([frames]);
    expect(await checkpoints.lineage('t', 'c')).toEqual([prompt, LONG]);
    expect(await checkpoints.delta('t', 'b')).toBe(LONG);
    expect(await checkpoints.list('t', { limit: 9 })).toHaveLength(3);
  };
  const COLUMNS = [
    ['runs', 'kwargs'],
    ['run_events', 'content'],
    ['trace_contents', 'content'],
    ['run_frames', 'events'],
    ['checkpoints', 'delta'],
    ['checkpoints', 'snapshot'],
  ] as const;
  const stored = (table: string, column: string) =>
    file
      .prepare(`select rowid as id, ${column} as value from ${table} where ${column} is not null`)
      .all()
      .map(({ id, value }) => ({ id: Number(id), value }));

  it('[storage.packed.size] long texts take at most half their length on disk', async () => {
    await write();
    for (const [table, column] of COLUMNS) {
      for (const { value } of stored(table, column)) {
        if (!(value instanceof Uint8Array)) throw new Error(`${table}.${column} is not packed`);
        expect(value.length).toBeLessThan(unpackText(value).length / 2);
      }
      expect(stored(table, column)).not.toEqual([]);
    }
    await expectAll();
  });

  it('[storage.packed] texts that an earlier release stored unpacked are read beside packed ones', async () => {
    await write();
    for (const [table, column] of COLUMNS) {
      for (const { id, value } of stored(table, column)) {
        if (!(value instanceof Uint8Array)) throw new Error(`${table}.${column} is not packed`);
        file.prepare(`update ${table} set ${column} = ? where rowid = ?`).run(unpackText(value), id);
      }
    }
    await expectAll();
  });
});

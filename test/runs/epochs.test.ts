// Ids of frames and the epochs that they name: how much of what a reader has seen is still true.
import { describe, expect, it } from 'vitest';
import { epochAt, epochName, intactThrough } from '../../src/runs/log/epochs.ts';
import { FROM_THE_START, frameId, framePosition, idAt } from '../../src/runs/reading/frame-position.ts';
import { createUuidV7 } from '../../src/uuid-v7.ts';

const EPOCHS = [
  { firstSeq: 1, name: 'a1' },
  { firstSeq: 31, name: 'b2' },
  // Claimed, and handed back before any event.
  { firstSeq: 50, name: 'c3' },
  { firstSeq: 50, name: 'd4' },
];

describe('the epochs of a run', () => {
  it('[runs.epochs.kept] each position belongs to the last epoch that had begun', () => {
    expect([1, 30, 31, 49, 50, 999].map((seq) => epochAt(EPOCHS, seq))).toEqual([
      'a1',
      'a1',
      'b2',
      'b2',
      'd4',
      'd4',
    ]);
    expect(epochAt([], 7)).toBeUndefined();
    expect(epochAt([{ firstSeq: 8, name: 'a1' }], 7)).toBeUndefined();
  });

  it.each([
    ['a place in an epoch that went on', { seq: 12, epoch: 'a1' }, 12],
    ['its last place', { seq: 30, epoch: 'a1' }, 30],
    ['a place behind its end', { seq: 41, epoch: 'a1' }, 30],
    ['a place behind the end of one in which nothing is left', { seq: 60, epoch: 'c3' }, 49],
    ['a place in the epoch that goes on, however far', { seq: 5_000, epoch: 'd4' }, 5_000],
    ['a place in an epoch that is not there', { seq: 41, epoch: 'zz' }, 0],
    ['a place before its epoch began', { seq: 7, epoch: 'b2' }, 0],
    ['a place without a named epoch', { seq: 7, epoch: undefined }, 0],
  ])('[runs.epochs.kept] of %s', (_what, seen, kept) => {
    expect(intactThrough(EPOCHS, seen)).toBe(kept);
  });

  it('[runs.epochs.kept] events from before epochs had names are kept up to the first named epoch', () => {
    const epochs = [{ firstSeq: 31, name: 'b2' }];
    expect(intactThrough(epochs, { seq: 30, epoch: undefined })).toBe(30);
    expect(intactThrough(epochs, { seq: 41, epoch: undefined })).toBe(30);
    expect(intactThrough([], { seq: 41, epoch: undefined })).toBe(41);
    expect(intactThrough([], { seq: 41, epoch: 'a1' })).toBe(0);
  });

  it('[runs.epochs.names] are the random end of a new id, even if time stands still', () => {
    const newId = createUuidV7(() => 1_000);
    const names = Array.from({ length: 1_000 }, () => epochName(newId()));
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/);
  });
});

describe('the id of a frame', () => {
  it.each([
    ['41-2-3f9a2c41', { seq: 41, index: 3, epoch: '3f9a2c41' }],
    ['41-2', { seq: 41, index: 3 }],
    ['41', { seq: 41, index: Number.POSITIVE_INFINITY }],
  ])('[runs.epochs.ids] %s is read, and written again as it was', (id, position) => {
    expect(framePosition(id)).toEqual(position);
    expect(idAt(framePosition(id))).toBe(id);
  });

  it.each(['', '-1', 'x', '41-', '41-2-', '41-2-A b', '41-2-a-b', `41-2-${'a'.repeat(33)}`])(
    '[runs.epochs.ids] %j means from the start',
    (id) => {
      expect(framePosition(id)).toEqual(FROM_THE_START);
    },
  );

  it('[runs.epochs.ids] names a whole event as well', () => {
    const whole = { seq: 41, index: Number.POSITIVE_INFINITY, epoch: 'a1' };
    const read = framePosition(idAt(whole));
    expect([read.seq, read.epoch]).toEqual([41, 'a1']);
    expect(read.index).toBeGreaterThan(1_000_000);
    expect([frameId(1, 0, undefined), frameId(1, 0, 'a1')]).toEqual(['1-0', '1-0-a1']);
    expect(idAt(FROM_THE_START)).toBeUndefined();
  });
});

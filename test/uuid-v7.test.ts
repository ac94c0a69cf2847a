// Ids of the service: of version 7, rising whatever the clock does.
import { expect, it } from 'vitest';
import { createUuidV7 } from '../src/uuid-v7.ts';

const VERSION_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const NOW = Date.UTC(2026, 10, 23);

it('begins with the time and has the form of version 7', () => {
  const id = createUuidV7(() => NOW)();
  expect(id).toMatch(VERSION_7);
  expect(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)).toBe(NOW);
});

it('rises within a millisecond, beyond the ids that one has room for', () => {
  const newId = createUuidV7(() => NOW);
  const ids = Array.from({ length: 10_000 }, newId);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every((id) => VERSION_7.test(id))).toBe(true);
});

it('rises when the clock steps back', () => {
  const times = [NOW, NOW - 3_600_000, NOW - 1, NOW + 1];
  const newId = createUuidV7(() => times.shift() ?? NOW);
  const ids = Array.from({ length: 4 }, newId);
  expect(ids.toSorted()).toEqual(ids);
});

it('differs between two makers at the same time', () => {
  const [one, other] = [createUuidV7(() => NOW), createUuidV7(() => NOW)];
  expect(one()).not.toBe(other());
});

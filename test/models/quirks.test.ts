// The table of differences between providers: each row against its recording.
import { describe, expect, it } from 'vitest';
import { QUIRKS } from '../../src/models/quirks/quirks.ts';
import { fixtureOf, outcomeOfCase } from './fixture.ts';

const rows: readonly { readonly name: string; readonly providers: readonly string[]; apply: unknown }[] =
  Object.values(QUIRKS).flat();

describe.each(rows.map((row) => [row.name, row] as const))('%s', (name, row) => {
  const cases = fixtureOf(name);

  it('[models.quirks] produces the recording', async () => {
    for (const fixture of cases) {
      const { body, finish } = fixture;
      expect(row.providers).toContain(fixture.model.provider);
      expect(await outcomeOfCase(fixture)).toEqual({
        ...(body === undefined ? {} : { body }),
        ...(finish === undefined ? {} : { finish }),
      });
    }
  });

  it('[models.quirks.needed] is needed: without it the result differs', async () => {
    const { apply } = row;
    try {
      row.apply = (value: unknown) => value;
      for (const fixture of cases) {
        const { body, finish } = await outcomeOfCase(fixture);
        expect({ body, finish }).not.toEqual({ body: fixture.body, finish: fixture.finish });
      }
    } finally {
      row.apply = apply;
    }
  });
});

it('[models.quirks] no two rows have the same name', () => {
  const names = rows.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

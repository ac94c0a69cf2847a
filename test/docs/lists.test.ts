// Lists in the pages have everything that there is.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { STREAM_MODES } from '../../src/runs/request/stream-modes.ts';
import { ROOT, readPage } from './documents.ts';

const NUMBERS = [
  ...['Zero', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine', 'Ten'],
  ...['Eleven', 'Twelve', 'Thirteen', 'Fourteen', 'Fifteen', 'Sixteen', 'Seventeen', 'Eighteen', 'Nineteen'],
];

/** The names in the first column of the table below a heading. */
function firstColumn(page: string, heading: string): string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ', 1);
  const cells = [...own.matchAll(/^\| ((?:`[^`|]+`(?:, )?)+) +\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

it('[docs.skills] the page of skills and the README have every skill that comes with the service', async () => {
  const entries = await readdir(join(ROOT, 'skills/public'), { withFileTypes: true });
  const skills = entries.filter((it) => it.isDirectory()).map(({ name }) => name);
  const rows = firstColumn(await readPage('docs/skills.md'), 'The skills that come with the service');
  expect(rows).toEqual(skills.toSorted());
  expect(await readPage('README.md')).toMatch(
    new RegExp(`\\b${NUMBERS[skills.length]}\\s+come\\s+with\\s+the\\s+service`),
  );
});

it('[docs.modes] the contract has every stream mode', async () => {
  const page = await readPage('docs/contract/streaming.md');
  expect(firstColumn(page, 'Modes').toSorted()).toEqual(STREAM_MODES.toSorted());
});

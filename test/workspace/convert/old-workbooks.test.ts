// Workbooks in the formats before 2007, read without LibreOffice.
import { describe, expect, it } from 'vitest';
import { compoundFileOf } from '../../support/documents/compound-file.ts';
import { document, markdownOf, reasonOf } from '../../support/documents/reader.ts';
import { xlsOf } from '../../support/documents/xls.ts';

const DAY_46083 = 46_083;

describe.each(['biff8', 'biff5'] as const)('a workbook of %s', (format) => {
  it('[uploads.markdown.xls] has all sheets, dates as dates, and the results of formulas', async () => {
    const book = xlsOf(format, [
      {
        name: 'Sales',
        range: 'B2:D6',
        cells: {
          B2: { t: 's', v: 'Day' },
          C2: { t: 's', v: 'What – für alle' },
          D2: { t: 's', v: 'Sum' },
          B3: { t: 'n', v: DAY_46083, z: 'yyyy-mm-dd' },
          C3: { t: 's', v: 'Hay' },
          D3: { t: 'n', v: 3.5 },
          C4: { t: 's', v: 'Milk' },
          D4: { t: 'n', v: 0.25, z: '0%' },
          B4: { t: 'n', v: DAY_46083, z: 'yyyy-mm-dd' },
          // Row 5 is empty.
          C6: { t: 'b', v: true },
          D6: { t: 'n', v: 3.75, f: 'SUM(D3:D4)' },
        },
      },
      { name: 'Käse', range: 'A1:A1', cells: { A1: { t: 'n', v: -12 } } },
    ]);
    expect(await markdownOf('.xls', book)).toBe(
      [
        '## Sales',
        [
          '| Day | What – für alle | Sum |',
          '| --- | --- | --- |',
          '| 2026-03-02 | Hay | 3.5 |',
          '| 2026-03-02 | Milk | 25% |',
          '|  | true | 3.75 |',
        ].join('\n'),
        '## Käse',
        '| -12 |\n| --- |\n',
      ].join('\n\n'),
    );
  });
});

it('[uploads.markdown.xls] shows an error as the workbook does, and the link of a cell', async () => {
  const book = xlsOf('biff8', [
    {
      name: 'a',
      range: 'A1:B1',
      cells: {
        A1: { t: 'e', v: 0x07 },
        B1: { t: 's', v: 'Our site', l: { Target: 'https://example.com/farm' } },
      },
    },
  ]);
  expect(await markdownOf('.xls', book)).toBe(
    '## a\n\n| #DIV/0! | [Our site](https://example.com/farm) |\n| --- | --- |\n',
  );
});

it('[uploads.markdown.limits] a sheet that claims the maximum size has only its real cells', async () => {
  const book = xlsOf('biff8', [{ name: 'a', range: 'A1:A1', cells: { A1: { t: 's', v: 'one' } } }]);
  // The record of the size of a sheet: first and last row, first and last column.
  const size = book.indexOf(Buffer.from('00020e00', 'hex')) + 4;
  book.writeUInt32LE(65_536, size + 4);
  book.writeUInt16LE(256, size + 10);
  expect(await markdownOf('.xls', book)).toBe('## a\n\n| one |\n| --- |\n');
});

it('[uploads.markdown.failure] a container whose sectors form a cycle is found damaged soon', async () => {
  const damaged = 'The Excel workbook (.xls) is damaged and could not be read.';
  const sheets = document('sheets.xls');
  // The place of the sector table; each sector is made its own successor.
  const table = (sheets.readUInt32LE(0x4c) + 1) * 512;
  const circles = Buffer.from(sheets);
  for (let sector = 0; sector < 128; sector++) circles.writeUInt32LE(sector, table + sector * 4);
  expect(await reasonOf('.xls', circles)).toBe(damaged);
  expect(await reasonOf('.xls', compoundFileOf({ Workbook: Buffer.alloc(5_000, 'words ') }))).toBe(damaged);
});

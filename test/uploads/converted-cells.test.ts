// What Markdown has no word for: numbers with a format, cells over other cells, pictures.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/documents/desk.ts';
import { docxOf } from '../support/documents/docx.ts';
import { pptxOf } from '../support/documents/pptx.ts';
import { xlsxOf } from '../support/documents/xlsx.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.service.close());
beforeEach(() => desk.clear());

const EURO = '_-* #,##0.00\\ [$€-407]_-;\\-* #,##0.00\\ [$€-407]_-;_-* "-"??\\ [$€-407]_-;_-@_-';

it('[uploads.markdown.numbers] percentages, money, units, times and durations are written as shown', async () => {
  const shown = [
    [0.25, '0%', '25%'],
    [0.1234567, '0.00%', '12.34567%'],
    [-0.07, '0 %', '-7%'],
    [1234.5, EURO, '1234.50 €'],
    [-3, '"$"#,##0.00_);[Red]\\("$"#,##0.00\\)', '-$3.00'],
    [2.345, '[$CHF-807] #,##0.00', 'CHF 2.345'],
    [12, '0.0" kg"', '12.0 kg'],
    [0.395833333333333, 'h:mm', '09:30'],
    [1.5, '[h]:mm', '36:00'],
    [46_083.25, 'dd.mm.yyyy hh:mm', '2026-03-02T06:00:00Z'],
    [1_234_567, '0.0,,"M"', '1234567'],
    [0.1 + 0.2, '0.00', '0.3'],
    [5, '[>=1000]#,##0" k";0', '5'],
    [7, 'General', '7'],
  ] as const;
  const rows = shown.map(([value, format], index) => [index, { value, format }]);
  expect(
    await desk.markdownOf('a.xlsx', await xlsxOf([{ name: 'Shown', rows: [['No', 'Is'], ...rows] }])),
  ).toBe(
    [
      '## Shown\n\n| No | Is |\n| --- | --- |',
      ...shown.map(([, , text], index) => `| ${index} | ${text} |`),
      '',
    ].join('\n'),
  );
});

it('[uploads.markdown.merged] Excel: a cell over several rows stands in each of them', async () => {
  const rows = [
    ['Year', 'What', 'Sum'],
    ['2025', 'Hay', 1],
    [null, 'Milk', 2],
    [null, null, null],
    ['Both', null, 3],
  ];
  const xlsx = await xlsxOf([{ name: 'Sums', rows, merged: ['A2:A4', 'A5:B5', 'C2:C1048576', 'B2:B5'] }]);
  expect(await desk.markdownOf('a.xlsx', xlsx)).toBe(
    '## Sums\n\n| Year | What | Sum |\n| --- | --- | --- |\n| 2025 | Hay | 1 |\n| 2025 | Milk | 2 |\n| Both | Hay | 3 |\n',
  );
});

it('[uploads.markdown.merged] Word and PowerPoint: so it does, and every row has its columns', async () => {
  const docx = await docxOf([
    {
      kind: 'table',
      rows: [
        ['Year', 'What', 'Sum'],
        [{ text: '2025', over: 'first' }, 'Hay', '1'],
        [{ text: '', over: 'further' }, 'Milk', '2'],
        [{ text: 'Both', columns: 2 }, '3'],
      ],
    },
  ]);
  const lines = (await desk.markdownOf('a.docx', docx)).trim().split('\n');
  expect(lines.map((line) => line.split('|').map((cell) => cell.trim()))).toEqual([
    ['', 'Year', 'What', 'Sum', ''],
    ['', '---', '---', '---', ''],
    ['', '2025', 'Hay', '1', ''],
    ['', '2025', 'Milk', '2', ''],
    ['', 'Both', '', '3', ''],
  ]);
  await desk.clear();
  const table = [
    ['Year', 'What'],
    ['2025', 'Hay'],
    [null, 'Milk'],
  ];
  expect(await desk.markdownOf('a.pptx', await pptxOf([{ title: 'Sums', table }]))).toBe(
    '## Slide 1: Sums\n\n| Year | What |\n| --- | --- |\n| 2025 | Hay |\n| 2025 | Milk |\n',
  );
});

it('[uploads.markdown.pictures] a picture is marked at its place, with its description', async () => {
  const docx = await docxOf([
    { kind: 'paragraph', text: 'Before' },
    { kind: 'picture', description: 'Our barn\nin spring' },
    { kind: 'picture', description: '' },
  ]);
  expect(await desk.markdownOf('a.docx', docx)).toBe(
    'Before\n\n[Picture: Our barn in spring]\n\n[Picture]\n',
  );
  await desk.clear();
  const pptx = await pptxOf([{ title: 'Farm', pictures: ['Our barn', ''] }]);
  expect(await desk.markdownOf('a.pptx', pptx)).toBe(
    '## Slide 1: Farm\n\n[Picture: Our barn]\n\n[Picture]\n',
  );
});

// Charts become tables of their values. Diagrams and footers of presentations are converted, too.
import { expect, it } from 'vitest';
import { docxOf } from '../../support/documents/docx.ts';
import { relations } from '../../support/documents/ooxml.ts';
import { pptxOf } from '../../support/documents/pptx.ts';
import { markdownOf, reasonOf } from '../../support/documents/reader.ts';
import { xlsxOf } from '../../support/documents/xlsx.ts';

const points = (values: readonly string[]) =>
  values
    .map((value, index) => (value === '' ? '' : `<c:pt idx="${index}"><c:v>${value}</c:v></c:pt>`))
    .join('');
const words = (name: string, values: readonly string[]) =>
  `<c:${name}><c:strRef><c:f>Sheet1!$A$1</c:f><c:strCache>${points(values)}</c:strCache></c:strRef></c:${name}>`;
const numbers = (name: string, values: readonly string[], format = 'General') =>
  `<c:${name}><c:numRef><c:numCache><c:formatCode>${format}</c:formatCode>${points(values)}</c:numCache></c:numRef></c:${name}>`;
const chart = (kind: string, series: readonly string[], title = '') =>
  `<c:chartSpace xmlns:c="c" xmlns:a="a"><c:chart>${title}<c:plotArea><c:${kind}>${series.map((it) => `<c:ser>${it}</c:ser>`).join('')}</c:${kind}></c:plotArea></c:chart></c:chartSpace>`;
const TITLE =
  '<c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r><a:r><a:t> of hay</a:t></a:r></a:p></c:rich></c:tx></c:title>';

const years = words('cat', ['2024', '2025', '2026']);
const BARS = chart(
  'barChart',
  [
    words('tx', ['Hay']) + years + numbers('val', ['12', '', '14.5']),
    words('tx', ['Share | all']) + years + numbers('val', ['0.25', '0.5', '0.75'], '0%'),
  ],
  TITLE,
);
const BARS_TOLD = [
  '[Chart: Sales of hay]',
  '|  | Hay | Share \\| all |\n| --- | --- | --- |\n| 2024 | 12 | 25% |\n| 2025 |  | 50% |\n| 2026 | 14.5 | 75% |',
].join('\n\n');

const graphic = '<a:graphic><a:graphicData><c:chart r:id="rChart"/></a:graphicData></a:graphic>';
const drawing = (description: string) =>
  `<w:drawing><wp:inline><wp:docPr id="1" name="Chart 1" descr="${description}"/>${graphic}</wp:inline></w:drawing>`;
const frame = (content: string) =>
  `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="4" name="x" descr="How much"/></p:nvGraphicFramePr><a:graphic><a:graphicData>${content}</a:graphicData></a:graphic></p:graphicFrame>`;

function wordWith(body: string, chartXml: string): Promise<Buffer> {
  return docxOf(
    [
      { kind: 'paragraph', text: 'Before.' },
      { kind: 'xml', xml: body },
      { kind: 'paragraph', text: 'After.' },
    ],
    [
      { name: 'word/charts/chart1.xml', text: chartXml },
      {
        name: 'word/_rels/document.xml.rels',
        text: relations([{ id: 'rChart', type: 'chart', target: 'charts/chart1.xml' }]),
      },
    ],
  );
}

it('[uploads.markdown.charts] Word: a chart is its title and a table, at its place', async () => {
  const docx = await wordWith(`<w:p><w:r>${drawing('')}</w:r></w:p>`, BARS);
  expect(await markdownOf('.docx', docx)).toBe(`Before.\n\n${BARS_TOLD}\n\nAfter.\n`);
});

it('[uploads.markdown.charts] Word: a chart in a table cell is its name alone', async () => {
  const cell = `<w:tc><w:p><w:r>${drawing('How much')}</w:r></w:p></w:tc>`;
  const docx = await wordWith(
    `<w:tbl><w:tr>${cell}<w:tc><w:p/></w:tc></w:tr></w:tbl>`,
    BARS.replace(TITLE, ''),
  );
  expect(await markdownOf('.docx', docx)).toContain('| [Chart: How much] |');
});

const slideWith = async (xml: string) =>
  markdownOf(
    '.pptx',
    await pptxOf(
      [
        {
          title: 'Numbers',
          shapes: frame('<c:chart r:id="rChart"/>'),
          refersTo: [{ id: 'rChart', type: 'chart', target: '../charts/chart1.xml' }],
        },
      ],
      [{ name: 'ppt/charts/chart1.xml', text: xml }],
    ),
  );

it('[uploads.markdown.charts] PowerPoint: titles, categories, series, dates and number formats', async () => {
  expect(await slideWith(BARS)).toBe(`## Slide 1: Numbers\n\n${BARS_TOLD}\n`);
  const dated = chart('lineChart', [
    numbers('cat', ['46083', '46084'], 'd/m/yyyy') + numbers('val', ['1', '2']),
  ]);
  expect(await slideWith(dated)).toBe(
    '## Slide 1: Numbers\n\n[Chart: How much]\n\n|  | Series 1 |\n| --- | --- |\n| 2026-03-02 | 1 |\n| 2026-03-03 | 2 |\n',
  );
});

it('[uploads.markdown.charts] PowerPoint: series with different positions have a table each', async () => {
  const series = [
    words('tx', ['A']) + numbers('xVal', ['1', '2']) + numbers('yVal', ['10', '20']),
    words('tx', ['B']) + numbers('xVal', ['3']) + numbers('yVal', ['30']),
  ];
  expect(await slideWith(chart('scatterChart', series))).toContain(
    '|  | A |\n| --- | --- |\n| 1 | 10 |\n| 2 | 20 |\n\n|  | B |\n| --- | --- |\n| 3 | 30 |',
  );
});

it('[uploads.markdown.charts] Excel: charts follow the table of their sheet; a damaged one leaves the others', async () => {
  const xlsx = await xlsxOf([
    {
      name: 'Sums',
      rows: [['Hay', 12]],
      charts: [
        { xml: BARS, description: '' },
        { xml: '<c:chartSpace><!-- cut off', description: 'How much' },
        { xml: BARS.replace(TITLE, ''), description: 'All hay' },
      ],
    },
    { name: 'Empty', rows: [], charts: [{ xml: BARS, description: '' }] },
    { name: 'Plain', rows: [['Milk', 3]] },
  ]);
  expect(await markdownOf('.xlsx', xlsx)).toBe(
    [
      '## Sums\n\n| Hay | 12 |\n| --- | --- |',
      BARS_TOLD,
      '[Chart: How much]',
      BARS_TOLD.replace('Sales of hay', 'All hay'),
      '## Empty\n\n_Empty sheet._',
      BARS_TOLD,
      '## Plain\n\n| Milk | 3 |\n| --- | --- |\n',
    ].join('\n\n'),
  );
});

it('[uploads.markdown.limits] a chart with very many values shows the first ones', async () => {
  const many = Array.from({ length: 26_000 }, (_, index) => `${index}`);
  const markdown = await slideWith(chart('lineChart', [numbers('val', many)]));
  expect(markdown.split('\n').length).toBeLessThan(25_100);
  expect(markdown).toContain('\n\n_More values are omitted._');
  expect(await slideWith('<c:chartSpace xmlns:c="c"/>')).toBe('## Slide 1: Numbers\n\n[Chart: How much]\n');
});

it('[uploads.markdown.diagrams] diagrams have their texts at their depth; a footer is shown once', async () => {
  const point = (id: string, text: string, type = 'node') =>
    `<dgm:pt modelId="${id}" type="${type}"><dgm:t><a:p><a:r><a:t>${text}</a:t></a:r></a:p></dgm:t></dgm:pt>`;
  const below = (from: string, to: string, place: number) =>
    `<dgm:cxn modelId="${from}${to}" srcId="${from}" destId="${to}" srcOrd="${place}"/>`;
  const data = `<dgm:dataModel xmlns:dgm="d" xmlns:a="a"><dgm:ptLst>${point('0', '', 'doc')}${point('b', 'Second')}${point('a', 'First')}${point('c', 'below it')}${point('p', 'nobody sees', 'pres')}</dgm:ptLst><dgm:cxnLst>${below('0', 'b', 1)}${below('0', 'a', 0)}${below('a', 'c', 0)}${below('c', 'a', 0)}</dgm:cxnLst></dgm:dataModel>`;
  const pptx = await pptxOf(
    [
      {
        title: 'How',
        shapes: frame('<dgm:relIds r:dm="rData"/>'),
        refersTo: [{ id: 'rData', type: 'diagramData', target: '../diagrams/data1.xml' }],
        footer: 'Farm & Co.',
        notes: 'n',
      },
      { title: 'Next', footer: 'Farm & Co.' },
    ],
    [{ name: 'ppt/diagrams/data1.xml', text: data }],
  );
  expect(await markdownOf('.pptx', pptx)).toBe(
    [
      '## Slide 1: How',
      '- First\n  - below it\n- Second',
      'Footer: Farm & Co.',
      '> Notes:\n> n',
      '## Slide 2: Next\n',
    ].join('\n\n'),
  );
});

it('[uploads.markdown.tolerant] a damaged slide leaves the others readable', async () => {
  const damaged = { name: 'ppt/slides/slide1.xml', text: '<p:sld><p:cSld><!-- cut off' };
  expect(await markdownOf('.pptx', await pptxOf([{ title: 'First' }, { title: 'Last' }], [damaged]))).toBe(
    '## Slide 1: First\n\n## Slide 2\n\n_This slide is damaged and could not be read._\n',
  );
  expect(await reasonOf('.pptx', await pptxOf([{ title: 'Only' }], [damaged]))).toBe(
    'The PowerPoint presentation (.pptx) is damaged and could not be read.',
  );
});

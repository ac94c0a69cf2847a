// The content of charts in office documents: a title, and a table of values. Pure.
import { markdownTable, pictureText } from './markdown-blocks.ts';
import type { OfficeParts } from './office-parts.ts';
import { childrenOf, nodeAt, nodesBelow, parsedXml, textOf, textOfRuns, type XmlNode } from './office-xml.ts';
import { cellText, dateOf, numberFormat } from './sheet-text.ts';

export interface ChartText {
  /** One line in brackets. */
  readonly inline: string;
  /** The same, and below it the table of values, if there are any. */
  readonly block: string;
}

/** By the index of the point. */
type Points = ReadonlyMap<number, string>;

interface Series {
  readonly name: string;
  readonly categories: Points;
  readonly values: Points;
}

/** The limit for one table. A hostile chart has a point in each of a million series. */
const MAX_CELLS = 50_000;

/** `description` replaces the title when the chart has none, or is of a kind that is not read. */
export function chartText(parts: OfficeParts, name: string, description: string): ChartText {
  const chart = nodeAt(parsedXml(parts, name), 'chartSpace', 'chart');
  const title = nodesBelow(nodeAt(chart, 'title') ?? NOTHING, 'p')
    .map(textOfRuns)
    .join(' ')
    .trim();
  const series = (nodeAt(chart, 'plotArea')?.children ?? [])
    .flatMap((it) => childrenOf(it, 'ser'))
    .map(seriesOf);
  const caption = pictureText(title === '' ? description : title, 'Chart');
  return { inline: caption, block: [caption, ...tablesOf(series)].join('\n\n') };
}

const NOTHING: XmlNode = { name: '', attributes: {}, children: [], text: '' };

function seriesOf(series: XmlNode, index: number): Series {
  const name = nodesBelow(nodeAt(series, 'tx') ?? NOTHING, 'v')
    .map(textOf)
    .join(' ');
  return {
    name: name === '' ? `Series ${index + 1}` : name,
    categories: pointsOf(nodeAt(series, 'cat') ?? nodeAt(series, 'xVal')),
    values: pointsOf(nodeAt(series, 'val') ?? nodeAt(series, 'yVal')),
  };
}

/** For categories on several levels, reads the innermost. */
function pointsOf(source: XmlNode | undefined): Points {
  const cache = source?.children.flatMap((it) => it.children).find(({ name }) => CACHES.has(name)) ?? source;
  const code = textOf(nodeAt(cache, 'formatCode'));
  const points = childrenOf(nodeAt(cache, 'lvl') ?? cache, 'pt');
  return new Map(
    points.map((point) => [Number(point.attributes.idx ?? 0), valueText(textOf(nodeAt(point, 'v')), code)]),
  );
}

const CACHES: ReadonlySet<string> = new Set(['strCache', 'numCache', 'multiLvlStrCache', 'strLit', 'numLit']);
/** Days and years in a format. Its words and colours are in quotes and brackets. */
const DATE = /[dy]/i;
const WORDS = /"[^"]*"|\[[^[\]]*\]|\\./g;

function valueText(said: string, code: string): string {
  const value = Number(said);
  if (code === '' || said.trim() === '' || !Number.isFinite(value)) return said;
  return DATE.test(code.replace(WORDS, '')) && code !== 'General'
    ? cellText(dateOf(value))
    : cellText(value, numberFormat(code));
}

/** Returns one table for all series with the same categories. */
function tablesOf(series: readonly Series[]): readonly string[] {
  const groups = Map.groupBy(series, ({ categories }) => JSON.stringify([...categories]));
  return Array.from(groups.values(), tableOf).filter((table) => table !== '');
}

function tableOf(series: readonly Series[]): string {
  const categories: Points = series[0]?.categories ?? new Map<number, string>();
  const points = new Set([...categories.keys(), ...series.flatMap(({ values }) => [...values.keys()])]);
  const places = [...points].sort((a, b) => a - b);
  const kept = places.slice(0, Math.floor(MAX_CELLS / (series.length + 1)));
  const rows = kept.map((place) => [
    categories.get(place) ?? '',
    ...series.map(({ values }) => values.get(place) ?? ''),
  ]);
  const table = rows.length === 0 ? '' : markdownTable([['', ...series.map(({ name }) => name)], ...rows]);
  return kept.length === places.length ? table : `${table}\n\n_More values are omitted._`;
}

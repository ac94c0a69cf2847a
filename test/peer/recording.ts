// What the peer sent, as data: ids and times by number, what repeats written once.
import { readFileSync } from 'node:fs';

/** A frame by its event name and its data. */
export interface RecordedFrame {
  readonly event: string;
  readonly data: unknown;
}

/** The frames of the runs of a scenario, by the list of modes that was asked for, joined by commas. */
export type Recording = Readonly<Record<string, readonly (readonly RecordedFrame[])[]>>;

/** Fields that only tell on which machine, with which library and for which model class the peer ran: left out. */
const SURROUNDINGS = new Set([
  'assistant_id',
  'created_by',
  'graph_id',
  'langgraph_host',
  'langgraph_plan',
  'langgraph_version',
  'ls_integration',
  'ls_model_name',
  'ls_model_type',
  'ls_provider',
  'run_attempt',
  'user-agent',
  'versions',
]);

/** Numbers ids in the order in which they first appear: `#1`, `#2` ...; a time is `<time>`. One for each thread. */
export function createNumbering(): (value: unknown) => unknown {
  const numbers = new Map<string, string>();
  const numberOf = (id: string): string => {
    const number = numbers.get(id) ?? `#${numbers.size + 1}`;
    numbers.set(id, number);
    return number;
  };
  const withNumbers = (text: string): string =>
    text.replace(STACK, '').replace(TIME, '<time>').replace(ID, numberOf);
  const numbered = (value: unknown): unknown =>
    typeof value === 'string' ? withNumbers(value) : mapped(value, numbered, withNumbers);
  return numbered;
}

/** Where an error came from: places of one machine. */
const STACK = /\n\s+at .*$/s;
const TIME = /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const ID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b|\b[0-9a-f]{32}\b/g;

/**
 * The text of a recording: a frame is `[event, data]`, a line; subtrees that repeat stand once, in `shared`, and `"$n"`
 * in their places.
 */
export function recordingText(peer: string, recording: Recording): string {
  const streams = Object.entries(recording).map(
    ([modes, runs]) => [modes, runs.map((frames) => frames.map(({ event, data }) => [event, data]))] as const,
  );
  const counts = new Map<string, number>();
  count(streams, counts);
  const shared = new Map<string, { readonly index: number; text: string }>();
  const short = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    if ((counts.get(text) ?? 0) < 2) return mapped(value, short);
    const known = shared.get(text);
    if (known !== undefined) return `$${known.index}`;
    const entry = { index: shared.size, text: '' };
    shared.set(text, entry);
    entry.text = JSON.stringify(mapped(value, short));
    return `$${entry.index}`;
  };
  const blocks = streams.map(([modes, runs]) => {
    const lines = runs.map((frames) => `[\n${frames.map((it) => JSON.stringify(short(it))).join(',\n')}\n]`);
    return `${JSON.stringify(modes)}: [${lines.join(',')}]`;
  });
  const table = [...shared.values()].map(({ text }) => text).join(',\n');
  return `{"peer": ${JSON.stringify(peer)},\n"streams": {${blocks.join(',\n')}},\n"shared": [\n${table}\n]}\n`;
}

const WORTH_SHARING = 16;

function count(value: unknown, counts: Map<string, number>): void {
  if (typeof value !== 'object' || value === null) return;
  const text = JSON.stringify(value);
  const before = counts.get(text) ?? 0;
  if (text.length >= WORTH_SHARING) counts.set(text, before + 1);
  if (before === 0) for (const child of Object.values(value)) count(child, counts);
}

export function readRecording(name: string): Recording {
  const url = new URL(`recordings/${name}.json`, import.meta.url);
  const { streams, shared } = JSON.parse(readFileSync(url, 'utf8')) as {
    readonly streams: Readonly<Record<string, unknown>>;
    readonly shared: readonly unknown[];
  };
  const whole = (value: unknown): unknown => {
    const [, index] = typeof value === 'string' ? (/^\$(\d+)$/.exec(value) ?? []) : [];
    return index === undefined ? mapped(value, whole) : whole(shared[Number(index)]);
  };
  const recorded = whole(streams) as Readonly<Record<string, readonly (readonly [string, unknown][])[]>>;
  const framesOf = (run: readonly [string, unknown][]) => run.map(([event, data]) => ({ event, data }));
  return Object.fromEntries(Object.entries(recorded).map(([modes, runs]) => [modes, runs.map(framesOf)]));
}

/** The value with the change made to its children, and their names to be read so. */
function mapped(
  value: unknown,
  change: (child: unknown) => unknown,
  named = (name: string): string => name,
): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([key]) => !SURROUNDINGS.has(key));
  return Object.fromEntries(told.map(([key, child]) => [named(key), change(child)]));
}

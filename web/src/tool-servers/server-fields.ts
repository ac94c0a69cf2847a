// Converts between a server's entry and the fields of a form. Pure.
import type { ServerEntry } from '../api/tool-server-shapes.ts';

export interface ServerFields {
  readonly kind: 'command' | 'address';
  readonly command: string;
  /** One per line. */
  readonly args: string;
  /** `NAME=value`, one per line. */
  readonly env: string;
  readonly url: string;
  readonly transport: 'http' | 'sse';
  /** `Name: value`, one per line. */
  readonly headers: string;
  readonly description: string;
  readonly hasPrefix: boolean;
  /** Whole seconds. Empty for the default of the service. */
  readonly callTimeout: string;
  readonly startTimeout: string;
}

export type ReadFields =
  | { readonly kind: 'entry'; readonly entry: ServerEntry }
  | { readonly kind: 'problem'; readonly field: keyof ServerFields; readonly sentence: string };

/** The fields of an entry that the form sets. All others stay as they were. */
const SAID = new Set([
  'type',
  'transport',
  'command',
  'args',
  'env',
  'url',
  'headers',
  'description',
  'tool_name_prefix',
  'tool_call_timeout',
  'session_init_timeout',
]);

export function toFields(entry: ServerEntry): ServerFields {
  return {
    kind: entry.url === undefined ? 'command' : 'address',
    command: entry.command ?? '',
    args: (entry.args ?? []).join('\n'),
    env: linesOf(entry.env, '='),
    url: entry.url ?? '',
    transport: (entry.type ?? entry.transport) === 'sse' ? 'sse' : 'http',
    headers: linesOf(entry.headers, ': '),
    description: entry.description ?? '',
    hasPrefix: entry.tool_name_prefix ?? true,
    callTimeout: entry.tool_call_timeout === undefined ? '' : String(entry.tool_call_timeout),
    startTimeout: entry.session_init_timeout === undefined ? '' : String(entry.session_init_timeout),
  };
}

export function toEntry(fields: ServerFields, before: ServerEntry): ReadFields {
  const kept = Object.fromEntries(Object.entries(before).filter(([key]) => !SAID.has(key)));
  const { description, callTimeout, startTimeout } = fields;
  const about = {
    ...(description.trim() === '' ? {} : { description: description.trim() }),
    ...(fields.hasPrefix ? {} : { tool_name_prefix: false }),
    ...(callTimeout === '' ? {} : { tool_call_timeout: Number(callTimeout) }),
    ...(startTimeout === '' ? {} : { session_init_timeout: Number(startTimeout) }),
  };
  if (fields.kind === 'command') {
    const env = pairsOf(fields.env, '=');
    if (env.kind === 'wrong') return problem('env', `Write line ${env.line} as NAME=value.`);
    const args = fields.args.split('\n').filter((line) => line !== '');
    const run = { type: 'stdio', command: fields.command.trim(), args, env: env.pairs };
    return { kind: 'entry', entry: { ...kept, ...run, ...about } };
  }
  const headers = pairsOf(fields.headers, ':');
  if (headers.kind === 'wrong') return problem('headers', `Write line ${headers.line} as Name: value.`);
  const reach = { type: fields.transport, url: fields.url.trim(), headers: headers.pairs };
  return { kind: 'entry', entry: { ...kept, ...reach, ...about } };
}

function problem(field: keyof ServerFields, sentence: string): ReadFields {
  return { kind: 'problem', field, sentence };
}

function linesOf(pairs: Readonly<Record<string, string>> | undefined, between: string): string {
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join('\n');
}

type Pairs =
  | { readonly kind: 'pairs'; readonly pairs: Record<string, string> }
  | { readonly kind: 'wrong'; readonly line: number };

function pairsOf(text: string, between: string): Pairs {
  const pairs: [string, string][] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const end = line.indexOf(between);
    if (end < 1) return { kind: 'wrong', line: index + 1 };
    pairs.push([line.slice(0, end).trim(), line.slice(end + 1).trim()]);
  }
  return { kind: 'pairs', pairs: Object.fromEntries(pairs) };
}

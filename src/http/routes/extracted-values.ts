// Single values out of a thread, by paths as `threads.search` of the SDK writes them: `values.messages[-1].content`.
import type { Json } from '../../messages/message.ts';

/** Where a path begins; what is behind it are names after dots, and places in brackets, negative ones from the end. */
const PATH = /^(values|metadata|interrupts|config)((?:\.[A-Za-z0-9_-]{1,64}|\[-?\d{1,6}\]){0,16})$/;
const STEP = /\.([A-Za-z0-9_-]+)|\[(-?\d+)\]/g;

export function isExtractPath(path: Json): path is string {
  return typeof path === 'string' && path.length <= 256 && PATH.test(path);
}

export function leadsToValues(path: string): boolean {
  return path.startsWith('values');
}

/** What is not there is `null`. */
export function extracted(thread: object, paths: Readonly<Record<string, string>>): object {
  return Object.fromEntries(Object.entries(paths).map(([alias, path]) => [alias, valueAt(thread, path)]));
}

function valueAt(thread: object, path: string): unknown {
  const [, root = '', steps = ''] = PATH.exec(path) ?? [];
  let value = fieldOf(thread, root);
  for (const [, name, place] of steps.matchAll(STEP))
    value = name === undefined ? itemOf(value, Number(place)) : fieldOf(value, name);
  return value;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const own = Object.entries(value).find(([key]) => key === name);
  return own?.[1] ?? null;
}

function itemOf(value: unknown, place: number): unknown {
  return Array.isArray(value) ? (value.at(place) ?? null) : null;
}

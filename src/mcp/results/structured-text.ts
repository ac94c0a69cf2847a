// Structured content as a text, if it is one that can be made without others waiting for it.
import { MAX_DEPTH, MAX_VALUES } from '../../json/json-text.ts';

/** In one line; `undefined`: it is nested deeper than 200 levels, or has more than 100,000 values. */
export function structuredText(content: unknown): string | undefined {
  return isSmall(content) ? JSON.stringify(content) : undefined;
}

/** Without recursion: what is printed recurses. */
function isSmall(content: unknown): boolean {
  const open = [{ value: content, depth: 0 }];
  let values = 1;
  for (let it = open.pop(); it !== undefined; it = open.pop()) {
    const { value, depth } = it;
    if (typeof value !== 'object' || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    values += inner.length;
    if (values > MAX_VALUES || depth === MAX_DEPTH) return false;
    for (const child of inner) open.push({ value: child, depth: depth + 1 });
  }
  return true;
}

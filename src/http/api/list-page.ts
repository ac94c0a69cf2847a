// Responses for long lists: one page, and the requested fields of its entries
// (docs/contract/conventions.md#lists-and-pages).
import type { AppContext } from './context.ts';

interface Page {
  readonly offset: number;
  readonly length: number;
  readonly total: number;
}

/** Sets `X-Pagination-Total`, and `X-Pagination-Next` with the next offset while more entries remain. */
export function setPageHeaders(c: AppContext, { offset, length, total }: Page): void {
  c.header('X-Pagination-Total', String(total));
  const next = offset + length;
  if (length > 0 && next < total) c.header('X-Pagination-Next', String(next));
}

/** Returns the selected fields and ignores unknown names. Without a selection, returns the body unchanged. */
export function selectFields<Value>(
  body: Readonly<Record<string, Value>>,
  fields: readonly string[] | undefined,
): Readonly<Record<string, Value>> {
  if (fields === undefined) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}

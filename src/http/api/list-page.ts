// What is answered of a longer list: a page, and of its entries the fields that were asked for
// (docs/contract/conventions.md#lists-and-pages).
import type { AppContext } from './context.ts';

interface Page {
  /** Where the page begins in the list. */
  readonly offset: number;
  readonly length: number;
  /** How long the list is. */
  readonly total: number;
}

/** `X-Pagination-Total`, and `X-Pagination-Next` with the next offset while there is more. */
export function setPageHeaders(c: AppContext, { offset, length, total }: Page): void {
  c.header('X-Pagination-Total', String(total));
  const next = offset + length;
  if (length > 0 && next < total) c.header('X-Pagination-Next', String(next));
}

/** Unknown names are left out; without a selection the body is answered as it is. */
export function selectFields<Value>(
  body: Readonly<Record<string, Value>>,
  fields: readonly string[] | undefined,
): Readonly<Record<string, Value>> {
  if (fields === undefined) return body;
  return Object.fromEntries(Object.entries(body).filter(([name]) => fields.includes(name)));
}

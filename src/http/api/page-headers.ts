// The headers of a page of a longer list (docs/contract/conventions.md#lists-and-pages).
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

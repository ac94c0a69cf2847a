// Lists that a server sends page by page.
import { z } from 'zod';
import type { Connection, RequestLimits } from './connection.ts';

interface PagedList {
  readonly method: string;
  /** The field of the response that holds the items. */
  readonly field: string;
  readonly maxPages: number;
}

/** Yields the items of each page, unchecked. Rejects with `ServerFailure`. */
export async function* pagesOf(
  connection: Connection,
  { method, field, maxPages }: PagedList,
  limits: RequestLimits,
): AsyncGenerator<readonly unknown[], void, void> {
  const page = z.looseObject({ [field]: z.array(z.unknown()), nextCursor: z.string().nullish() });
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor };
    const result: z.output<typeof page> = await connection.request({ method, params }, page, limits);
    const items = result[field];
    if (Array.isArray(items)) yield items;
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string' || nextCursor === '' || nextCursor === cursor) return;
    cursor = nextCursor;
  }
}

// The path as the client wrote it, before anything decodes or normalises it.
import type { AppContext } from './context.ts';

/** Decides what is public, so `/health/../api`, `//health` and `/%68ealth` are themselves and not `/health`. */
export function rawPath(c: AppContext): string {
  const url = afterOrigin(c.env?.incoming?.url ?? c.req.url);
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

function afterOrigin(url: string): string {
  return url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
}

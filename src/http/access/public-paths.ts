// Decides which requests need no session: those to public routes, the documentation, and the web app's files.

import type { RouteTable } from '../api/route-table.ts';
import type { HttpOptions } from '../transport/http-options.ts';
import type { RequestTarget } from '../transport/request-target.ts';

export type IsPublic = (target: Pick<RequestTarget, 'method' | 'path'>) => Promise<boolean>;

interface PublicPathParts {
  readonly options: Pick<HttpOptions, 'openapi' | 'docs'>;
  readonly routes: Pick<RouteTable, 'openAccess'>;
  /** Whether the path is a file or page of the web app. */
  readonly isWebPath: (path: string) => Promise<boolean>;
}

/** Compares paths exactly as the client wrote them. */
export function createIsPublic({ options, routes, isWebPath }: PublicPathParts): IsPublic {
  const documentation: ReadonlySet<string> = new Set([
    ...(options.openapi ? ['/openapi.json'] : []),
    ...(options.openapi && options.docs ? ['/docs'] : []),
  ]);
  return async ({ method, path }) => {
    const asked = { method: method === 'HEAD' ? 'GET' : method, path };
    if (routes.openAccess(asked) !== undefined) return true;
    return asked.method === 'GET' && (documentation.has(path) || (await isWebPath(path)));
  };
}

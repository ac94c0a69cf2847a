// Which requests need no session (decisions, section 2, public paths).
import type { HttpOptions } from './http-options.ts';

const AUTH = '/api/v1/auth';

/** Sign-in routes: open to everybody and free of the CSRF token, they look at the `Origin` instead. */
const SIGN_IN: ReadonlySet<string> = new Set([
  `POST ${AUTH}/login/local`,
  `POST ${AUTH}/register`,
  `POST ${AUTH}/logout`,
  `POST ${AUTH}/initialize`,
]);

const ALWAYS: ReadonlySet<string> = new Set([
  'GET /health',
  'GET /health/ready',
  `GET ${AUTH}/setup-status`,
  `GET ${AUTH}/providers`,
]);

/** What a request asks for; `path` exactly as the client wrote it. */
export interface RequestTarget {
  readonly method: string;
  readonly path: string;
}

export type IsPublic = (target: RequestTarget) => Promise<boolean>;

export function isSignInTarget({ method, path }: RequestTarget): boolean {
  return SIGN_IN.has(`${method} ${path}`);
}

/** Whether this route of the API is public in every configuration. */
export function needsNoSession(target: RequestTarget): boolean {
  return isSignInTarget(target) || ALWAYS.has(`${target.method} ${target.path}`);
}

/** `isWebPath` tells the web app's own files and pages. */
export function createIsPublic(
  { openapi, docs }: Pick<HttpOptions, 'openapi' | 'docs'>,
  isWebPath: (path: string) => Promise<boolean>,
): IsPublic {
  const documentation: ReadonlySet<string> = new Set([
    ...(openapi ? ['GET /openapi.json'] : []),
    ...(openapi && docs ? ['GET /docs'] : []),
  ]);
  return async ({ method, path }) => {
    const target = { method: method === 'HEAD' ? 'GET' : method, path };
    if (needsNoSession(target) || documentation.has(`${target.method} ${path}`)) return true;
    return target.method === 'GET' && (await isWebPath(path));
  };
}

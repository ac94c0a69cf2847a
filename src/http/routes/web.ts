// Serves the web app, and responds 404 to every unknown path.
import { notFound } from '../../errors.ts';
import type { IsPublic } from '../access/public-paths.ts';
import type { App, AppContext, AppMiddleware } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';
import type { WebFile, WebFiles } from '../files/web-files.ts';

const BEING_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Agent Service</title></head>
<body style="font:16px/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark">
<h1 style="font-size:1.25rem">The web app is being built</h1>
<p>This page reloads by itself. The API works already; <code>npm run prepare</code> builds the web app by hand.</p>
</body></html>`;

interface UnknownPageParts {
  readonly webFiles: WebFiles;
  readonly isPublic: IsPublic;
  readonly routes: Pick<RouteTable, 'descriptions'>;
}

/**
 * Responds to a browser at an unknown address with the app's page and status 404, signed in or not. The first
 * path segments of API routes belong to the API, which responds with JSON below them.
 */
export function unknownPage({ webFiles, isPublic, routes }: UnknownPageParts): AppMiddleware {
  return async (c, next) => {
    const { target } = c.var;
    const asksForPage = target.method === 'GET' && (c.req.header('accept') ?? '').includes('text/html');
    if (!asksForPage || isOfApi(target.path, routes) || (await isPublic(target))) return next();
    const page = await webFiles.read('/', { takesGzip: takesGzip(c) });
    return page === undefined ? next() : respondWithFile(c, page, 404);
  };
}

function isOfApi(path: string, routes: UnknownPageParts['routes']): boolean {
  return routes.descriptions().some((route) => firstName(route.path) === firstName(path));
}

function firstName(path: string): string | undefined {
  return path.split('/', 2)[1];
}

/** Mounts the web app. Must come last, because it handles every remaining GET. */
export function mountWeb(app: App, webFiles: WebFiles): void {
  app.get('*', async (c) => {
    const { path } = c.var.target;
    const file = await webFiles.read(path, { takesGzip: takesGzip(c) });
    if (file !== undefined) return respondWithFile(c, file);
    if (!webFiles.isPage(path)) throw notFound('Page');
    return c.html(BEING_BUILT, 503, { 'Retry-After': '2' });
  });
}

function takesGzip(c: AppContext): boolean {
  return /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
}

function respondWithFile(c: AppContext, file: WebFile, status: 200 | 404 = 200): Response {
  if (status === 200) c.header('ETag', file.etag);
  c.header('Cache-Control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  c.header('Vary', 'Accept-Encoding');
  if (status === 200 && c.req.header('if-none-match')?.includes(file.etag) === true) return c.body(null, 304);
  c.header('Content-Type', file.contentType);
  if (file.form === 'gzip') c.header('Content-Encoding', 'gzip');
  return c.body(file.bytes, status);
}

// Serves the web app, and answers 404 for every path that nothing else knows.
import { notFound } from '../../errors.ts';
import type { App, AppContext } from '../context.ts';
import type { WebFile, WebFiles } from '../web-files.ts';

const BEING_BUILT = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">
<meta name="viewport" content="width=device-width"><title>Agent Service</title></head>
<body style="font:16px/1.5 system-ui;max-width:32rem;margin:20vh auto;padding:0 1rem;color-scheme:light dark">
<h1 style="font-size:1.25rem">The web app is being built</h1>
<p>This page reloads by itself. The API works already; <code>npm run prepare</code> builds the web app by hand.</p>
</body></html>`;

/** Mounted last: it takes every GET that is left. */
export function mountWeb(app: App, webFiles: WebFiles): void {
  app.get('*', async (c) => {
    const { path } = c.var.target;
    const takesGzip = /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
    const file = await webFiles.read(path, { takesGzip });
    if (file !== undefined) return answerFile(c, file);
    if (!webFiles.isPage(path)) throw notFound('Page');
    return c.html(BEING_BUILT, 503, { 'Retry-After': '2' });
  });
}

function answerFile(c: AppContext, file: WebFile): Response {
  c.header('ETag', file.etag);
  c.header('Cache-Control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  c.header('Vary', 'Accept-Encoding');
  if (c.req.header('if-none-match')?.includes(file.etag) === true) return c.body(null, 304);
  c.header('Content-Type', file.contentType);
  if (file.form === 'gzip') c.header('Content-Encoding', 'gzip');
  return c.body(file.bytes);
}

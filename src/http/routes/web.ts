// Serves the web app, and answers 404 for every path that nothing else knows.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { notFound } from '../../errors.ts';
import type { App, AppContext } from '../context.ts';
import type { WebFile, WebFiles } from '../web-files.ts';

const compress = promisify(gzip);
const COMPRESSIBLE = /^(?:text\/|application\/(?:javascript|json|manifest\+json)|image\/svg)/;
const MIN_COMPRESSED_BYTES = 1024;

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
    const file = await webFiles.read(path);
    if (file !== undefined) return await answerFile(c, file);
    if (!webFiles.isPage(path)) throw notFound('Page');
    return c.html(BEING_BUILT, 503, { 'Retry-After': '2' });
  });
}

async function answerFile(c: AppContext, file: WebFile): Promise<Response> {
  c.header('ETag', file.etag);
  c.header('Cache-Control', file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  c.header('Vary', 'Accept-Encoding');
  if (c.req.header('if-none-match')?.includes(file.etag) === true) return c.body(null, 304);
  c.header('Content-Type', file.contentType);
  if (!wantsGzip(c, file)) return c.body(Uint8Array.from(file.bytes));
  c.header('Content-Encoding', 'gzip');
  return c.body(Uint8Array.from(await compress(file.bytes)));
}

function wantsGzip(c: AppContext, { bytes, contentType }: WebFile): boolean {
  if (bytes.length < MIN_COMPRESSED_BYTES || !COMPRESSIBLE.test(contentType)) return false;
  return /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
}

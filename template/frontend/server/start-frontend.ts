// Serves the built pages, and passes /api on to the backend, so that the browser knows one origin only.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { proxy } from 'hono/proxy';
import type { Config } from '../../config/config-schema.ts';
import { clientAddress } from '../../http/client-address.ts';
import { type Listening, listen } from '../../http/listen.ts';
import { PAGE_POLICY, securityHeaders } from '../../http/security-headers.ts';

const PAGES = fileURLToPath(new URL('../dist', import.meta.url));

/** `backendUrl` is without the prefix of the API; `drainMs` as that of the backend. */
export async function startFrontend(config: Config, backendUrl: string, drainMs = 0): Promise<Listening> {
  const app = new Hono();
  app.use(securityHeaders(config, PAGE_POLICY));
  app.get('/health', (c) => c.json({ status: 'healthy' }));
  app.all('/api/*', async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const target = `${backendUrl}${config.api.prefix}${pathname.slice('/api'.length)}${search}`;
    const { host, ...rest } = c.req.header();
    const headers = { ...rest, 'x-real-ip': clientAddress(c), 'x-forwarded-host': host };
    return proxy(target, { raw: c.req.raw, headers }).catch(() =>
      c.json({ error: 'The backend does not answer. Try again in a moment.' }, 502),
    );
  });
  app.use(compress());
  app.use(async (c, next) => {
    await next();
    // The names of assets change with what is in them.
    const isAsset = c.res.ok && c.req.path.startsWith('/assets/');
    c.header('cache-control', isAsset ? 'public, max-age=31536000, immutable' : 'no-cache');
  });
  app.use(serveStatic({ root: PAGES }));
  app.get('/assets/*', (c) => c.notFound());
  // Every other path is a page that the app itself knows.
  app.get('*', serveStatic({ root: PAGES, path: 'index.html' }));
  const { url, close } = await listen(app, config.server.frontend);
  return { url, close: () => sleep(drainMs).then(close) };
}

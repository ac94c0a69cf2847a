// Serves the built pages, and passes /api on to the backend, so that the browser knows one origin only.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { proxy } from 'hono/proxy';
import { requestId } from 'hono/request-id';
import type { Logger } from 'pino';
import type { Config } from '../../config/config-schema.ts';
import { createClientAddress } from '../../http/client-address.ts';
import { addHealth } from '../../http/health.ts';
import { type Listening, listen } from '../../http/listen.ts';
import { createReadiness } from '../../http/readiness.ts';
import { logRequests, type RequestEnv } from '../../http/request-log.ts';
import { PAGE_POLICY, securityHeaders } from '../../http/security-headers.ts';

const PAGES = fileURLToPath(new URL('../dist', import.meta.url));

interface FrontendOptions {
  config: Config;
  log: Logger;
  /** Without the prefix of the API. */
  backendUrl: string;
  /** As that of the backend. */
  drainMs?: number;
}

export async function startFrontend({ config, log, backendUrl, drainMs = 0 }: FrontendOptions): Promise<Listening> {
  const clientAddress = createClientAddress(config.security.trustedProxies);
  const readiness = createReadiness();
  readiness.register('backend', async () => {
    const { ok } = await fetch(`${backendUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    if (!ok) throw new Error('The backend is not ready.');
  });
  const app = new Hono<RequestEnv>();
  app.use(requestId(), logRequests(log), securityHeaders(config, PAGE_POLICY));
  addHealth(app, readiness);
  app.all('/api/*', async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const target = `${backendUrl}${config.api.prefix}${pathname.slice('/api'.length)}${search}`;
    const { host, ...rest } = c.req.header();
    // One id in the log lines of both.
    const ours = { 'x-real-ip': clientAddress(c), 'x-forwarded-host': host, 'x-request-id': c.get('requestId') };
    return proxy(target, { raw: c.req.raw, headers: { ...rest, ...ours } }).catch(() =>
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
  readiness.state = 'serving';
  return {
    url,
    close() {
      readiness.state = 'draining';
      return sleep(drainMs).then(close);
    },
  };
}

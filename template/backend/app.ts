// The backend as a function from a request to a response: what happens to every request, and where everything is.
import type { DatabaseSync } from 'node:sqlite';
import { OpenAPIHono } from '@hono/zod-openapi';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { requestId } from 'hono/request-id';
import type { Logger } from 'pino';
import type { Config } from '../config/config-schema.ts';
import { createClientAddress } from '../http/client-address.ts';
import { addHealth } from '../http/health.ts';
import type { Readiness } from '../http/readiness.ts';
import { logRequests, type RequestEnv } from '../http/request-log.ts';
import { PAGE_POLICY, securityHeaders } from '../http/security-headers.ts';
import { addApiPage, apiDocument } from './api-document.ts';
import { createAttemptLimit } from './auth/attempt-limit.ts';
import { authRoutes } from './auth/auth-routes.ts';
import { createSessionStore } from './auth/session-store.ts';
import { createSessions } from './auth/sessions.ts';
import { createTokens } from './auth/tokens.ts';
import { createUserStore } from './auth/user-store.ts';
import { errorResponse, notFound } from './errors.ts';
import { refuseForeignOrigins } from './foreign-origins.ts';
import { createMetrics } from './metrics.ts';
import { noteRoutes } from './notes/note-routes.ts';
import { createNoteStore } from './notes/note-store.ts';
import { createRouter } from './router.ts';

interface Parts {
  config: Config;
  log: Logger;
  database: DatabaseSync;
  readiness: Readiness;
  now?: () => number;
}

export function createApp({ config, log, database, readiness, now = Date.now }: Parts) {
  const app = new OpenAPIHono<RequestEnv>();
  app.onError(errorResponse);
  app.notFound(notFound);
  // The outermost has the last word on headers.
  app.use('/docs/*', securityHeaders(config, PAGE_POLICY));
  app.use(requestId(), logRequests(log), securityHeaders(config, { defaultSrc: ["'none'"] }));
  if (config.features.enableMetrics) {
    const { registry, measure } = createMetrics();
    app.use(measure);
    app.get('/metrics', async (c) => c.body(await registry.metrics(), 200, { 'content-type': registry.contentType }));
  }
  addHealth(app, readiness);
  const api = createApi({ config, database, now });
  app.route(config.api.prefix, api);
  if (config.features.enableSwagger) addApiPage(app, apiDocument(api, config));
  return app;
}

/** Everything under `api.prefix`. Add a new resource here. */
export function createApi({ config, database, now = Date.now }: Pick<Parts, 'config' | 'database' | 'now'>) {
  const { origins } = config.api.cors;
  const users = createUserStore(database);
  const notes = createNoteStore(database, () => new Date(now()));
  const sessions = createSessions(config, createTokens(config, now), createSessionStore(database, now));
  const attempts = createAttemptLimit(createClientAddress(config.security.trustedProxies), now);
  const api = createRouter();
  api.use(cors({ origin: origins, credentials: true, exposeHeaders: ['x-request-id'], maxAge: 600 }));
  api.use(refuseForeignOrigins(origins));
  api.use(bodyLimit({ maxSize: 1_000_000 }));
  api.use(async (c, next) => {
    await next();
    c.header('cache-control', 'no-store');
  });
  api.route('/', authRoutes(users, sessions, attempts));
  api.route('/', noteRoutes(notes, sessions));
  return api;
}

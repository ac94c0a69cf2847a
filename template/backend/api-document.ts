// The API described as OpenAPI, and a page to read and try it.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Config } from '../config/config-schema.ts';
import type { RequestEnv } from '../http/request-log.ts';
import type { AppEnv } from './auth/sessions.ts';

/** Made from the schemas that check the requests. Paths are relative to the server, which is `api.prefix`. */
export function apiDocument(api: OpenAPIHono<AppEnv>, config: Config) {
  const { name, environment } = config.app;
  api.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: environment === 'development' ? 'session' : '__Host-session',
  });
  const servers = [{ url: config.api.prefix }];
  return api.getOpenAPI31Document({ openapi: '3.1.0', info: { title: name, version: '1' }, servers });
}

const PAGE = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
const START = `window.ui = SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui' });`;

/** Adds `/openapi.json` and `/docs`. */
export function addApiPage(app: OpenAPIHono<RequestEnv>, document: ReturnType<typeof apiDocument>): void {
  app.get('/openapi.json', (c) => c.json(document));
  app.get('/docs', (c) => c.redirect('/docs/'));
  app.get('/docs/swagger-initializer.js', (c) => c.body(START, 200, { 'content-type': 'text/javascript' }));
  app.get('/docs/*', serveStatic({ root: PAGE, rewriteRequestPath: (path) => path.slice('/docs'.length) }));
}

// `/openapi.json`, made from the schemas that validate, and `/docs`, a page that shows it without a script.
import type { App } from '../context.ts';
import type { HttpOptions } from '../http-options.ts';
import { type ApiDocument, apiDocsPage } from '../presenters/api-docs-page.ts';

const ABOUT = {
  openapi: '3.1.0',
  info: {
    title: 'Agent Service',
    version: '2.0.0-rc',
    description:
      'Sign in at /api/v1/auth/login/local: it sets the cookies access_token and csrf_token. Send the value of csrf_token back in the header X-CSRF-Token with POST, PUT, PATCH and DELETE.',
  },
  security: [{ session: [] }],
};

export function mountDocs(app: App, { docs }: Pick<HttpOptions, 'docs'>): void {
  app.openAPIRegistry.registerComponent('securitySchemes', 'session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'access_token',
  });
  // Made at the first request, when every route is mounted, and then kept.
  let document: ApiDocument | undefined;
  const apiDocument = (): ApiDocument => {
    document ??= app.getOpenAPI31Document(ABOUT);
    return document;
  };
  app.get('/openapi.json', (c) => c.json(apiDocument()));
  if (docs) app.get('/docs', (c) => c.html(apiDocsPage(apiDocument())));
}

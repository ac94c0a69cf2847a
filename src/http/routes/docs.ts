// `/openapi.json`, generated from the validating schemas, and `/docs`, a page that shows it without scripts.

import type { App } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';
import { apiDocsPage } from '../document/api-docs-page.ts';
import { type ApiDocument, apiDocument } from '../document/api-document.ts';

export interface DocsDependencies {
  readonly docs: boolean;
  readonly routes: RouteTable;
}

export function mountDocs(app: App, { docs, routes }: DocsDependencies): void {
  // Created on the first request and then cached: the routes no longer change.
  let made: Promise<ApiDocument> | undefined;
  const document = (): Promise<ApiDocument> => {
    made ??= apiDocument(routes.descriptions());
    return made;
  };
  app.get('/openapi.json', async (c) => c.json(await document()));
  let page: Promise<string> | undefined;
  if (docs)
    app.get('/docs', async (c) => {
      page ??= document().then((it) => String(apiDocsPage(it)));
      return c.html(await page);
    });
}

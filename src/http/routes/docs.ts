// `/openapi.json`, made from the schemas that validate, and `/docs`, a page that shows it without a script.

import type { App } from '../api/context.ts';
import type { RouteTable } from '../api/route-table.ts';
import { apiDocsPage } from '../document/api-docs-page.ts';
import { type ApiDocument, apiDocument } from '../document/api-document.ts';

export interface DocsDependencies {
  readonly docs: boolean;
  readonly routes: RouteTable;
}

export function mountDocs(app: App, { docs, routes }: DocsDependencies): void {
  // Made at the first request and then kept: the routes do not change any more.
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

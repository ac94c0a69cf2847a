// `/openapi.json`, made from the schemas that validate, and `/docs`, a page that shows it without a script.
import { type ApiDocument, apiDocument } from '../api-document.ts';
import type { App } from '../context.ts';
import { apiDocsPage } from '../presenters/api-docs-page.ts';
import type { RouteTable } from '../route-table.ts';

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

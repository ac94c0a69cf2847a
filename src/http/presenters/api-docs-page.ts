// The OpenAPI document as one self-contained page: no script, no font, no request to anywhere.
import { html, raw } from 'hono/html';
import type { ApiDocument, ApiOperation } from '../api-document.ts';

const STYLE = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .4rem 0; } details { border-bottom: 1px solid #8884; }
code, pre { font-family: ui-monospace, monospace; font-size: .85rem; }
pre { overflow: auto; padding: .75rem; background: #8881; border-radius: .5rem; }
.method { display: inline-block; width: 4.5rem; font-weight: 600; text-transform: uppercase; }
`;

export function apiDocsPage(document: ApiDocument) {
  const tags = groupByTag(document);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${document.info.title} API</title>
<style>${raw(STYLE)}</style></head>
<body><h1>${document.info.title} API</h1><p>${document.info.description}</p>
<p>Machine-readable: <a href="/openapi.json">/openapi.json</a></p>
${[...tags].map(([tag, operations]) => html`<h2>${tag}</h2>${operations}`)}
<h2>Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => folded(name, schema))}
</body></html>`;
}

function groupByTag(document: ApiDocument) {
  const tags = new Map<string, ReturnType<typeof section>[]>();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [tag = 'Other'] = operation.tags;
      tags.set(tag, [...(tags.get(tag) ?? []), section({ method, path, operation })]);
    }
  }
  return tags;
}

function section(it: { readonly method: string; readonly path: string; readonly operation: ApiOperation }) {
  const { summary, parameters, requestBody, responses } = it.operation;
  return html`<details><summary><span class="method">${it.method}</span> <code>${it.path}</code> ${summary}</summary>
${parameters === undefined ? '' : html`<h4>Parameters</h4><pre>${pretty(parameters)}</pre>`}
${requestBody === undefined ? '' : html`<h4>Body</h4><pre>${pretty(requestBody)}</pre>`}
<h4>Answers</h4><pre>${pretty(responses)}</pre></details>`;
}

function folded(name: string, schema: unknown) {
  return html`<details><summary><code>${name}</code></summary><pre>${pretty(schema)}</pre></details>`;
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

// The OpenAPI document as one self-contained page in the look of the web app: no script, no request but for the icon.
import { html, raw } from 'hono/html';
import { API_DOCS_STYLE } from './api-docs-style.ts';
import type { ApiDocument, ApiOperation } from './api-document.ts';

/** As in the web app. */
const LOGO = `<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#1f6f64"/><path d="M9 21.5 16 9l7 12.5" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/><circle cx="16" cy="22" r="2.1" fill="#fff"/></svg>`;

interface ShownOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

export function apiDocsPage(document: ApiDocument) {
  const { title, version, description } = document.info;
  const groups = groupedByTag(document);
  const schemas = Object.entries(document.components.schemas);
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#fbfaf8" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#191a1c" media="(prefers-color-scheme: dark)">
<title>API – ${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${raw(API_DOCS_STYLE)}</style></head>
<body>
<header><a class="home" href="/">${raw(LOGO)}${title}</a>
<a href="/openapi.json">openapi.json</a></header>
<nav aria-label="Groups"><ul>${[...groups.keys()].map(
    (tag) => html`<li><a href="#${anchorOf(tag)}">${tag}</a></li>`,
  )}<li><a href="#schemas">Schemas</a></li></ul></nav>
<main><h1>API <small>${version}</small></h1><p>${prose(description)}</p>
${[...groups].map(([tag, shown]) => html`<section id="${anchorOf(tag)}"><h2>${tag}</h2>${shown.map(operationEntry)}</section>`)}
<section id="schemas"><h2>Schemas</h2>${schemas.map(([name, schema]) => schemaEntry(name, schema))}</section>
</main></body></html>`;
}

function groupedByTag(document: ApiDocument): ReadonlyMap<string, readonly ShownOperation[]> {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  return Map.groupBy(all, ({ operation: { tags } }) => tags[0] ?? 'Other');
}

function anchorOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
}

function operationEntry({ method, path, operation }: ShownOperation) {
  const { operationId, summary, parameters = [], requestBody, responses } = operation;
  return html`<details id="${operationId}"><summary><span class="method ${method}">${method}</span>
<code>${path}</code> <span class="what">${prose(summary)}</span></summary><div class="entry">
${parameters.length === 0 ? '' : parameterTable(parameters)}
${requestBody === undefined ? '' : html`<h4>Body</h4>${pretty(requestBody)}`}
<h4>Answers</h4>${Object.entries(responses).map(([status, answer]) => answerEntry(status, answer))}
</div></details>`;
}

function parameterTable(parameters: NonNullable<ApiOperation['parameters']>) {
  return html`<h4>Parameters</h4><div class="wide"><table>
<thead><tr><th>Name</th><th>In</th><th>Meaning</th></tr></thead>
<tbody>${parameters.map(
    (
      it,
    ) => html`<tr><td><code>${it.name}</code>${it.required ? html` <b>required</b>` : ''}</td><td>${it.in}</td>
<td>${prose(it.description ?? '')} <code class="schema">${JSON.stringify(it.schema)}</code></td></tr>`,
  )}</tbody></table></div>`;
}

function answerEntry(status: string, answer: object) {
  const { description, ...rest }: { readonly description?: unknown } = answer;
  const heading = html`<b>${status}</b> ${typeof description === 'string' ? prose(description) : ''}`;
  // The bodies of errors are the same everywhere; they are among the schemas.
  if (!status.startsWith('2') || Object.keys(rest).length === 0)
    return html`<p class="answer">${heading}</p>`;
  return html`<details class="answer"><summary>${heading}</summary>${pretty(rest)}</details>`;
}

function schemaEntry(name: string, schema: unknown) {
  return html`<details id="schema-${name}"><summary><code>${name}</code></summary><div class="entry">${pretty(schema)}</div></details>`;
}

/** What is between backticks is code. */
function prose(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
}

function pretty(value: unknown) {
  return html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
}

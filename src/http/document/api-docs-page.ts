// The OpenAPI document as one page in the style of the web app. It has no scripts and loads only the icon.
import { html, raw } from 'hono/html';
import type { ApiDocument, ApiOperation } from './api-document.ts';

/** The logo of the web app. */
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
<h4>Answers</h4>${Object.entries(responses).map(([status, response]) => responseEntry(status, response))}
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

function responseEntry(status: string, response: object) {
  const { description, ...rest }: { readonly description?: unknown } = response;
  const heading = html`<b>${status}</b> ${typeof description === 'string' ? prose(description) : ''}`;
  // Error bodies are the same everywhere and are listed among the schemas.
  if (!status.startsWith('2') || Object.keys(rest).length === 0)
    return html`<p class="answer">${heading}</p>`;
  return html`<details class="answer"><summary>${heading}</summary>${pretty(rest)}</details>`;
}

function schemaEntry(name: string, schema: unknown) {
  return html`<details id="schema-${name}"><summary><code>${name}</code></summary><div class="entry">${pretty(schema)}</div></details>`;
}

/** Renders text between backticks as code. */
function prose(text: string) {
  return text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`));
}

function pretty(value: unknown) {
  return html`<pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>`;
}

const API_DOCS_STYLE = `
:root {
  color-scheme: light dark;
  --background: oklch(0.991 0.003 90); --surface: oklch(1 0 0); --foreground: oklch(0.235 0.008 250);
  --muted: oklch(0.957 0.004 90); --muted-foreground: oklch(0.475 0.011 250); --border: oklch(0.905 0.005 90);
  --primary: oklch(0.47 0.084 178); --danger: oklch(0.5 0.18 27); --warning: oklch(0.47 0.1 68);
  --code: oklch(0.975 0.004 90); --ring: oklch(0.55 0.1 178);
}
@media (prefers-color-scheme: dark) { :root {
  --background: oklch(0.212 0.004 260); --surface: oklch(0.25 0.005 260); --foreground: oklch(0.925 0.004 90);
  --muted: oklch(0.265 0.005 260); --muted-foreground: oklch(0.715 0.009 250); --border: oklch(0.315 0.006 260);
  --primary: oklch(0.74 0.1 178); --danger: oklch(0.76 0.13 25); --warning: oklch(0.82 0.1 82);
  --code: oklch(0.187 0.004 260); --ring: oklch(0.7 0.1 178);
} }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--background); color: var(--foreground);
  font: 15px/1.6 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
}
a { color: var(--primary); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--ring); outline-offset: 2px; border-radius: .25rem; }
header {
  position: sticky; top: 0; z-index: 1; display: flex; justify-content: space-between; align-items: center;
  padding: .75rem max(1rem, env(safe-area-inset-left)); background: var(--background);
  border-bottom: 1px solid var(--border);
}
.home { display: flex; gap: .6rem; align-items: center; font-weight: 600; color: inherit; text-decoration: none; }
nav, main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; padding: 0; list-style: none; }
nav a {
  display: block; padding: .35rem .8rem; border: 1px solid var(--border); border-radius: 999px;
  background: var(--surface); color: inherit; text-decoration: none;
}
nav a:hover { background: var(--muted); }
h1 { margin: .5rem 0; font-size: 1.6rem; } h1 small { font-size: .9rem; font-weight: 400; }
h1 small, .what, th { color: var(--muted-foreground); }
h2 { margin: 2rem 0 .75rem; font-size: 1.15rem; } h4 { margin: 1rem 0 .4rem; font-size: .9rem; }
p, .what, .schema { overflow-wrap: anywhere; }
section > details {
  margin-bottom: .5rem; border: 1px solid var(--border); border-radius: .6rem; background: var(--surface);
}
summary { min-height: 2.75rem; padding: .6rem .9rem; cursor: pointer; }
section > details > summary:hover { background: var(--muted); border-radius: .6rem; }
.entry { padding: 0 .9rem .9rem; border-top: 1px solid var(--border); }
.answer { margin: 0; } .answer, .answer summary { padding: .3rem 0; min-height: 0; }
code, pre {
  font-family: ui-monospace, "SF Mono", "Cascadia Code", "JetBrains Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .85rem;
}
code { overflow-wrap: anywhere; }
summary > code { margin-inline-end: .5rem; } p code { padding: .1rem .3rem; border-radius: .3rem; background: var(--muted); }
pre {
  max-height: 32rem; margin: .4rem 0; padding: .8rem; overflow: auto; border: 1px solid var(--border);
  border-radius: .5rem; background: var(--code);
}
.schema { display: block; color: var(--muted-foreground); }
.method { display: inline-block; min-width: 4rem; font-size: .8rem; font-weight: 700; text-transform: uppercase; color: var(--primary); }
.method.delete { color: var(--danger); } .method.put, .method.patch { color: var(--warning); }
.wide { overflow-x: auto; } table { width: 100%; border-collapse: collapse; }
th, td { padding: .4rem .6rem .4rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--border); }
@media (max-width: 40rem) {
  summary .what { display: block; } nav a { padding-block: .5rem; }
  table, tbody, tr, td { display: block; } thead { display: none; } td { border: 0; padding: .1rem 0; }
  tr { padding: .5rem 0; border-bottom: 1px solid var(--border); }
}
`;

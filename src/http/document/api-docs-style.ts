// The look of the API's page: the colours and the type of the web app (`web/src/styles.css`), in both themes.

export const API_DOCS_STYLE = `
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

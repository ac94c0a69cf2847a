// Replaces shiki's full bundle. Contains the languages that people paste most, each loaded on first use.
import { createBundledHighlighter } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';

export const bundledLanguages = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  r: () => import('shiki/langs/r.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};

export const bundledLanguagesInfo = [
  { id: 'bash', aliases: ['sh', 'shell', 'zsh', 'console'] },
  { id: 'cpp', aliases: ['c++'] },
  { id: 'csharp', aliases: ['cs', 'c#'] },
  { id: 'docker', aliases: ['dockerfile'] },
  { id: 'html', aliases: ['htm'] },
  { id: 'javascript', aliases: ['js', 'mjs', 'cjs'] },
  { id: 'kotlin', aliases: ['kt'] },
  { id: 'markdown', aliases: ['md'] },
  { id: 'python', aliases: ['py'] },
  { id: 'ruby', aliases: ['rb'] },
  { id: 'rust', aliases: ['rs'] },
  { id: 'typescript', aliases: ['ts', 'mts', 'cts'] },
  { id: 'yaml', aliases: ['yml'] },
];

export type LanguageId = keyof typeof bundledLanguages;

/** Returns the language for a name or alias. Undefined when it is not included. */
export function languageIdOf(name: string): LanguageId | undefined {
  const lower = name.toLowerCase();
  const id = bundledLanguagesInfo.find((it) => it.aliases.includes(lower))?.id ?? lower;
  return isLanguageId(id) ? id : undefined;
}

function isLanguageId(name: string): name is LanguageId {
  return Object.hasOwn(bundledLanguages, name);
}

const themes = {
  'github-light-high-contrast': () => import('shiki/themes/github-light-high-contrast.mjs'),
  'github-dark-high-contrast': () => import('shiki/themes/github-dark-high-contrast.mjs'),
};

// Uses JavaScript's own regular expressions: the page's security policy allows no WebAssembly.
export const createHighlighter = createBundledHighlighter({
  langs: bundledLanguages,
  themes,
  engine: () => createJavaScriptRegexEngine({ forgiving: true }),
});

// Highlights code with the plugin of the Markdown renderer.
import { createCodePlugin } from '@streamdown/code';
import type { CSSProperties } from 'react';
import { languageIdOf } from './languages.ts';

interface CodeToken {
  readonly offset: number;
  readonly text: string;
  readonly style: CSSProperties;
}

export interface CodeLine {
  readonly offset: number;
  readonly tokens: readonly CodeToken[];
}

interface CodeRequest {
  readonly language: string;
  readonly code: string;
  readonly isIncomplete: boolean;
}

const plugin = createCodePlugin({ themes: ['github-light-high-contrast', 'github-dark-high-contrast'] });
const themes = plugin.getThemes();

/** Calls `onLines` immediately or when the language is loaded. Never calls it for an unknown language. */
export function highlight(
  { language, code, isIncomplete }: CodeRequest,
  onLines: (lines: readonly CodeLine[]) => void,
): void {
  const known = languageIdOf(language);
  if (known === undefined) return;
  const result = plugin.highlight({ code, language: known, themes, isIncomplete }, (made) =>
    onLines(toLines(made.tokens)),
  );
  if (result !== null) onLines(toLines(result.tokens));
}

type ShikiToken = { readonly content: string; readonly offset: number; readonly htmlStyle?: object };

function toLines(tokens: readonly (readonly ShikiToken[])[]): readonly CodeLine[] {
  return tokens.map((line, index) => ({
    offset: index,
    tokens: line.map((token) => ({ offset: token.offset, text: token.content, style: styleOf(token) })),
  }));
}

function styleOf(token: ShikiToken): CSSProperties {
  const colours: Record<string, string> = {};
  for (const [name, value] of Object.entries(token.htmlStyle ?? {})) {
    if (name === 'color') colours['--token-light'] = String(value);
    if (name === '--shiki-dark') colours['--token-dark'] = String(value);
  }
  return colours;
}

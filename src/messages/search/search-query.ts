// Parses what a person typed into a search box. Any text is valid, and no character is syntax of an index.
import { type WantedToken, wantedTokens } from './search-tokens.ts';
import { wordsOf } from './words.ts';

/** Words that must follow one another; mostly a single one. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** True when the last word may continue, because the person is still typing it. */
  readonly open: boolean;
}

export interface SearchQuery {
  /** All terms must be found. Without any, there is nothing to search for. */
  readonly terms: readonly SearchTerm[];
  /** Tokens that the index must have. Texts with all of them may lack a phrase; `marksOf` checks that. */
  readonly tokens: readonly WantedToken[];
}

/** Closed quotes hold a phrase. A quote that is never closed is ignored. */
const PIECE = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|([^\s"“”„«»]+)/gu;
const MOST_TERMS = 16;
/** A single letter begins too many words, so it only matches itself. */
const LEAST_BEGINNING = 2;

export function parseSearchQuery(text: string): SearchQuery {
  const pieces = [...text.matchAll(PIECE)].map(({ 0: piece, 5: loose, index }) => {
    const words = wordsOf(piece);
    // A space after a word completes it.
    const isLast = loose !== undefined && index + piece.length === text.length;
    return { words, open: isLast && (words.at(-1)?.text.length ?? 0) >= LEAST_BEGINNING };
  });
  const filled = pieces.filter(({ words }) => words.length > 0).slice(0, MOST_TERMS);
  return {
    terms: filled.map(({ words, open }) => ({ words: words.map((word) => word.text), open })),
    tokens: unique(filled.flatMap(({ words, open }) => wantedTokens(words, open))),
  };
}

function unique(tokens: readonly WantedToken[]): readonly WantedToken[] {
  return [...new Map(tokens.map((it) => [`${it.token}${it.prefix ? '*' : ''}`, it])).values()];
}

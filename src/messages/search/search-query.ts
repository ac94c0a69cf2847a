// What a person typed into a search box, taken apart: any text means something, and no character is syntax of an index.
import { type WantedToken, wantedTokens } from './search-tokens.ts';
import { wordsOf } from './words.ts';

/** Words that must stand one after the other; one alone, mostly. */
export interface SearchTerm {
  readonly words: readonly string[];
  /** The last word may go on: it is still being typed. */
  readonly open: boolean;
}

export interface SearchQuery {
  /** All of them must be there. None: there is nothing to look for. */
  readonly terms: readonly SearchTerm[];
  /** What the index must have. Texts that have all of it may still lack a phrase: `marksOf` knows. */
  readonly tokens: readonly WantedToken[];
}

/** Closed quotes hold a phrase; a quote that is never closed is nothing. */
const PIECE = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|([^\s"“”„«»]+)/gu;
const MOST_TERMS = 16;
/** A single letter begins too much to mean anything but itself. */
const LEAST_BEGINNING = 2;

export function parseSearchQuery(text: string): SearchQuery {
  const pieces = [...text.matchAll(PIECE)].map(({ 0: piece, 5: loose, index }) => {
    const words = wordsOf(piece);
    // With a space behind it, a word is finished.
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

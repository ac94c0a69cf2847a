// Where a text matches a search, and an excerpt of it around the first match, on one line.
import type { SearchQuery, SearchTerm } from './search-query.ts';
import { type Word, wordsOf } from './words.ts';

/** Start and end (exclusive), in UTF-16 units. */
export type Mark = readonly [start: number, end: number];

/** Returns the positions of all terms, ascending, without overlaps; `undefined` when a term is missing. */
export function marksOf(text: string, { terms }: SearchQuery): readonly Mark[] | undefined {
  const words = wordsOf(text);
  const marks: Mark[] = [];
  for (const term of terms) {
    const found = placesOf(words, term);
    if (found.length === 0) return undefined;
    marks.push(...found);
  }
  return merged(marks.sort((a, b) => a[0] - b[0] || a[1] - b[1]));
}

function placesOf(words: readonly Word[], term: SearchTerm): readonly Mark[] {
  const marks: Mark[] = [];
  for (const [index, word] of words.entries()) {
    const last = words[index + term.words.length - 1];
    if (last !== undefined && matchesAt(words, index, term)) marks.push([word.start, last.end]);
  }
  return marks;
}

function matchesAt(words: readonly Word[], index: number, { words: wanted, open }: SearchTerm): boolean {
  return wanted.every((text, offset) => {
    const word = words[index + offset]?.text ?? '';
    return open && offset === wanted.length - 1 ? word.startsWith(text) : word === text;
  });
}

function merged(marks: readonly Mark[]): readonly Mark[] {
  const result: Mark[] = [];
  for (const [start, end] of marks) {
    const before = result.at(-1);
    if (before === undefined || before[1] < start) result.push([start, end]);
    else result[result.length - 1] = [before[0], Math.max(before[1], end)];
  }
  return result;
}

export interface Snippet {
  readonly text: string;
  readonly marks: readonly Mark[];
}

const BEFORE = 60;
const LENGTH = 240;
const MORE = '…';
const WHITE_SPACE = /\s+/g;

/** Returns an excerpt, cut between words where there are spaces. Marks inside it point into its text. */
export function snippetOf(text: string, marks: readonly Mark[]): Snippet {
  const first = marks[0]?.[0] ?? 0;
  const start = first <= BEFORE ? 0 : wordStart(text, first - BEFORE, first);
  const end = text.length - start <= LENGTH ? text.length : wordEnd(text, start + LENGTH);
  const pieces: string[] = start > 0 ? [MORE] : [];
  const shown: Mark[] = [];
  let length = pieces.length;
  let at = start;
  const take = (to: number): number => {
    const piece = text.slice(at, to).replace(WHITE_SPACE, ' ');
    pieces.push(piece);
    length += piece.length;
    at = to;
    return length;
  };
  for (const [from, to] of marks) {
    if (from < start || to > end) continue;
    shown.push([take(from), take(to)]);
  }
  take(end);
  if (end < text.length) pieces.push(MORE);
  return { text: pieces.join('').toWellFormed(), marks: shown };
}

/** Returns the first start of a word from `from` on, but not beyond `limit`. */
function wordStart(text: string, from: number, limit: number): number {
  const space = text.slice(from, limit).search(/\s/);
  return space === -1 ? whole(text, from) : from + space + 1;
}

function wordEnd(text: string, to: number): number {
  const space = text.lastIndexOf(' ', to);
  return space > to - BEFORE ? space : whole(text, to);
}

/** Returns the position, moved out of the middle of a surrogate pair. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

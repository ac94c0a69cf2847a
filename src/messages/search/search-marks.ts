// Where a text has what was searched for.
import type { SearchQuery, SearchTerm } from './search-query.ts';
import { type Word, wordsOf } from './words.ts';

/** From, and to (behind it), in UTF-16 units. */
export type Mark = readonly [start: number, end: number];

/** The places of all terms, in rising order and without overlaps; `undefined` when a term is missing. */
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
    if (last !== undefined && standsAt(words, index, term)) marks.push([word.start, last.end]);
  }
  return marks;
}

function standsAt(words: readonly Word[], index: number, { words: wanted, open }: SearchTerm): boolean {
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

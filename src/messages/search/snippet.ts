// A few words of a text round what was found in it, on one line.
import type { Mark } from './search-marks.ts';

export interface Snippet {
  readonly text: string;
  readonly marks: readonly Mark[];
}

const BEFORE = 60;
const LENGTH = 240;
const MORE = '…';
const WHITE_SPACE = /\s+/g;

/** Cut between words where there are spaces; marks that are in it point into its own text. */
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

/** The first beginning of a word from `from` on, but not beyond `limit`. */
function wordStart(text: string, from: number, limit: number): number {
  const space = text.slice(from, limit).search(/\s/);
  return space === -1 ? whole(text, from) : from + space + 1;
}

function wordEnd(text: string, to: number): number {
  const space = text.lastIndexOf(' ', to);
  return space > to - BEFORE ? space : whole(text, to);
}

/** Not between the halves of a pair of surrogates. */
function whole(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

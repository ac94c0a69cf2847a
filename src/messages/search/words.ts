// The words of a text and their positions. They are compared in lower case, without accents.

/** A word, or one character of a script without spaces. */
export interface Word {
  /** The word as it is compared. */
  readonly text: string;
  /** Position in the text, in UTF-16 units; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** True for a script that does not separate words by spaces. */
  readonly unspaced: boolean;
}

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const UNSPACED = String.raw`\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}`;
const HAS_UNSPACED = new RegExp(`[${UNSPACED}]`, 'u');
const PARTS = new RegExp(String.raw`([${UNSPACED}]\p{M}*)|[^${UNSPACED}]+`, 'gu');
const ASCII = /^[a-z0-9]+$/i;

/** Accents, and the points of Hebrew and Arabic. Readers of other scripts see vowel signs as letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
const NO_LETTERS = /[^\p{L}\p{N}\p{M}]|[\ufe00-\ufe0f]/gu;
const HAS_LETTER = /[\p{L}\p{N}]/u;
/** Letters without a decomposition, as people type them whose keyboards lack them. */
const SPELLED = new Map(
  Object.entries({ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' }),
);
const SPELLED_LETTER = /[ßæœøłđðþı]/g;

/** A longer word is compared by its beginning. Nobody types such a word, and it would only fill an index. */
const MOST_CHARACTERS = 40;

/** Yields the words of the text in order, each on demand. */
export function* eachWord(text: string): Generator<Word, void, void> {
  for (const { 0: found, index } of text.matchAll(WORD)) {
    const end = index + found.length;
    if (ASCII.test(found)) yield { text: cut(found.toLowerCase()), start: index, end, unspaced: false };
    else yield* foreignWords(found, index);
  }
}

function* foreignWords(found: string, start: number): Generator<Word, void, void> {
  if (HAS_UNSPACED.test(found)) {
    for (const part of found.matchAll(PARTS)) {
      yield* wordAt(part[0], start + part.index, part[1] !== undefined);
    }
  } else yield* wordAt(found, start, false);
}

/** Returns the words of the text in order. */
export function wordsOf(text: string): Word[] {
  return [...eachWord(text)];
}

function wordAt(found: string, start: number, unspaced: boolean): readonly Word[] {
  const text = folded(found);
  return HAS_LETTER.test(text) ? [{ text, start, end: start + found.length, unspaced }] : [];
}

function folded(word: string): string {
  const plain = word.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
  return cut(
    plain.replace(SPELLED_LETTER, (letter) => SPELLED.get(letter) ?? letter).replace(NO_LETTERS, ''),
  );
}

function cut(word: string): string {
  // A database refuses half of a surrogate pair.
  return word.length > MOST_CHARACTERS
    ? word.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, '')
    : word;
}

// What an index holds of a text: its words, and of scripts without spaces every two characters that stand together.
import { type Word, wordsOf } from './words.ts';

/** Of longer texts the beginning is indexed. */
const MOST_INDEXED_CHARACTERS = 65_536;
/** All tokens of a text together: Postgres takes a megabyte. */
const MOST_TOKEN_CHARACTERS = 200_000;

/** Each once. They consist of letters, digits and marks only, so they mean nothing to any query language. */
export function tokensOf(text: string): readonly string[] {
  const words = wordsOf(text.slice(0, MOST_INDEXED_CHARACTERS));
  const tokens = new Set<string>();
  let characters = 0;
  for (const [index, word] of words.entries()) {
    const token = word.text + followerOf(words, index);
    if (tokens.has(token)) continue;
    characters += token.length + 1;
    if (characters > MOST_TOKEN_CHARACTERS) break;
    tokens.add(token);
  }
  return [...tokens];
}

/**
 * The character that makes a pair with this one. The last of a row stands alone, so that every single one is found as
 * the beginning of a token.
 */
function followerOf(words: readonly Word[], index: number): string {
  const word = words[index];
  const next = words[index + 1];
  if (word?.unspaced !== true || next?.unspaced !== true || next.start !== word.end) return '';
  return next.text;
}

/** What a text must have in the index to hold these words one after the other. */
export interface WantedToken {
  readonly token: string;
  /** Any token that begins like this will do. */
  readonly prefix: boolean;
}

/** `open`: the last word may go on. */
export function wantedTokens(words: readonly Word[], open: boolean): readonly WantedToken[] {
  return words.flatMap((word, index) => {
    const follower = followerOf(words, index);
    if (word.unspaced) {
      // The last character of a row is in the pair before it, if there is one.
      if (follower !== '') return [{ token: word.text + follower, prefix: false }];
      return followerOf(words, index - 1) === '' ? [{ token: word.text, prefix: true }] : [];
    }
    return [{ token: word.text, prefix: open && index === words.length - 1 }];
  });
}

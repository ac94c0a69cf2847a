// The tokens of a text in an index: words, and in scripts without spaces every pair of adjacent characters.
import { eachWord, type Word } from './words.ts';

/** Of a longer text, only the beginning is indexed. */
const MOST_INDEXED_CHARACTERS = 65_536;
/** Characters of all tokens of a text together. Postgres accepts a megabyte. */
const MOST_TOKEN_CHARACTERS = 200_000;

/** Returns each token once: letters, digits and marks only, which have no meaning in any query language. */
export function tokensOf(text: string): readonly string[] {
  const steps = tokenSteps(text);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Does the same one word at a time, so that the caller can do other work between them. */
export function* tokenSteps(text: string): Generator<void, readonly string[], void> {
  const tokens = new Set<string>();
  let characters = 0;
  for (const token of eachToken(text.slice(0, MOST_INDEXED_CHARACTERS))) {
    yield;
    if (tokens.has(token)) continue;
    characters += token.length + 1;
    if (characters > MOST_TOKEN_CHARACTERS) break;
    tokens.add(token);
  }
  return [...tokens];
}

function* eachToken(text: string): Generator<string, void, void> {
  let before: Word | undefined;
  for (const word of eachWord(text)) {
    if (before !== undefined) yield before.text + followerOf(before, word);
    before = word;
  }
  if (before !== undefined) yield before.text;
}

/**
 * Returns the character that forms a pair with this one. The last character of a row has no partner, so that
 * every single one is found as the beginning of a token.
 */
function followerOf(word: Word | undefined, next: Word | undefined): string {
  if (word?.unspaced !== true || next?.unspaced !== true || next.start !== word.end) return '';
  return next.text;
}

/** A token that a text must have in the index to contain these words in a row. */
export interface WantedToken {
  readonly token: string;
  /** True when any token that begins like this is sufficient. */
  readonly prefix: boolean;
}

/** Returns the tokens to search for. `open` means that the last word may continue. */
export function wantedTokens(words: readonly Word[], open: boolean): readonly WantedToken[] {
  return words.flatMap((word, index) => {
    const follower = followerOf(word, words[index + 1]);
    if (word.unspaced) {
      // The last character of a row is in the pair before it, if there is one.
      if (follower !== '') return [{ token: word.text + follower, prefix: false }];
      return followerOf(words[index - 1], word) === '' ? [{ token: word.text, prefix: true }] : [];
    }
    return [{ token: word.text, prefix: open && index === words.length - 1 }];
  });
}

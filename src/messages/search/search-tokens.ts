// What an index holds of a text: its words, and of scripts without spaces every two characters that stand together.
import { eachWord, type Word } from './words.ts';

/** Of longer texts the beginning is indexed. */
const MOST_INDEXED_CHARACTERS = 65_536;
/** All tokens of a text together: Postgres takes a megabyte. */
const MOST_TOKEN_CHARACTERS = 200_000;

/** Each once. They consist of letters, digits and marks only, so they mean nothing to any query language. */
export function tokensOf(text: string): readonly string[] {
  const steps = tokenSteps(text);
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** The same a word at a time, for whoever has others to think of between them. */
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
 * The character that makes a pair with this one. The last of a row stands alone, so that every single one is found as
 * the beginning of a token.
 */
function followerOf(word: Word | undefined, next: Word | undefined): string {
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
    const follower = followerOf(word, words[index + 1]);
    if (word.unspaced) {
      // The last character of a row is in the pair before it, if there is one.
      if (follower !== '') return [{ token: word.text + follower, prefix: false }];
      return followerOf(words[index - 1], word) === '' ? [{ token: word.text, prefix: true }] : [];
    }
    return [{ token: word.text, prefix: open && index === words.length - 1 }];
  });
}

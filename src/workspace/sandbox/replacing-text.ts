// Bytes that come in pieces, as text in which some words stand for others.

export interface ReplacingText {
  /** The text that is certain by now: what may be the beginning of a word, or of a character, is held back. */
  take(piece: Uint8Array): string;
  /** What was held back. */
  end(): string;
}

/** What stands for what. */
type Replacements = ReadonlyMap<string, string>;

/** Text in which its replacement stands for every word, wherever the pieces were cut. Invalid bytes become U+FFFD. */
export function replacingText(words: Replacements): ReplacingText {
  const decoder = new TextDecoder();
  let held = '';
  const certain = (text: string, isEnd: boolean): string => {
    const replaced = replacedIn(text, words);
    const keep = isEnd ? 0 : beginningLength(replaced, [...words.keys()]);
    held = replaced.slice(replaced.length - keep);
    return replaced.slice(0, replaced.length - keep);
  };
  return {
    take: (piece) => certain(held + decoder.decode(piece, { stream: true }), false),
    end: () => certain(held + decoder.decode(), true),
  };
}

function replacedIn(text: string, words: Replacements): string {
  let replaced = text;
  for (const [word, replacement] of words) replaced = replaced.replaceAll(word, replacement);
  return replaced;
}

/** How many characters at the end of the text may be the beginning of a word. */
function beginningLength(text: string, words: readonly string[]): number {
  const longest = words.reduce((most, { length }) => Math.max(most, length), 1);
  for (let length = Math.min(longest - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (words.some((word) => word.length > length && word.startsWith(end))) return length;
  }
  return 0;
}

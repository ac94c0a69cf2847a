// Bytes that come in pieces, as text in which one word stands for another.

export interface ReplacingText {
  /** The text that is certain by now: what may be the beginning of the word, or of a character, is held back. */
  take(piece: Uint8Array): string;
  /** What was held back. */
  end(): string;
}

/** Text in which `replacement` stands for every `word`, wherever the pieces were cut. Invalid bytes become U+FFFD. */
export function replacingText(word: string, replacement: string): ReplacingText {
  const decoder = new TextDecoder();
  let held = '';
  const certain = (text: string, isEnd: boolean): string => {
    const replaced = text.replaceAll(word, replacement);
    const keep = isEnd ? 0 : beginningLength(replaced, word);
    held = replaced.slice(replaced.length - keep);
    return replaced.slice(0, replaced.length - keep);
  };
  return {
    take: (piece) => certain(held + decoder.decode(piece, { stream: true }), false),
    end: () => certain(held + decoder.decode(), true),
  };
}

/** How many characters at the end of the text may be the beginning of the word. */
function beginningLength(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(word.slice(0, length))) return length;
  }
  return 0;
}

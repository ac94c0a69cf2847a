// How well a value answers the words of a query. Pure.
import type { Json } from '../messages/message.ts';
import { wordsOf } from '../messages/search/words.ts';

/** The share of the query's words that stand in the texts of the value, 0 to 1. */
export type ItemScore = (value: Json) => number;

/** Case and accents do not matter. A query without a word scores 0. */
export function createItemScore(query: string): ItemScore {
  const wanted = new Set(wordsOf(query).map(({ text }) => text));
  return (value) => {
    const missing = new Set(wanted);
    for (const text of textsOf(value)) {
      if (missing.size === 0) break;
      for (const word of wordsOf(text)) missing.delete(word.text);
    }
    return wanted.size === 0 ? 0 : (wanted.size - missing.size) / wanted.size;
  };
}

/** Every text, however deep; names of fields are none. */
function* textsOf(value: Json): Generator<string, void, void> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) yield* textsOf(child);
}

// An extractive summary: the sentences whose words matter most in the text, in their original order.

const STOP_WORDS = new Set(
  (
    'a about after all also an and any are as at be been but by can could did do does for from had has have he her his how i ' +
    'if in into is it its just like many may me more most much my no not of on one only or other our out over said she ' +
    'should so some such than that the their them then there these they this those to too up very was we were what when ' +
    'where which who why will with would you your'
  ).split(' '),
);

const MOST_SENTENCES = 5;

/** `total` counts all sentences; `keywords` come in the order of their weight. */
export function summarise(text: string) {
  const sentences = sentencesOf(text);
  const weights = wordWeights(sentences);
  const wanted = Math.min(MOST_SENTENCES, Math.max(1, Math.ceil(sentences.length * 0.3)));
  const chosen = sentences
    .map((sentence, index) => ({ sentence, index, score: scoreOf(sentence, weights) }))
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, wanted)
    .sort((a, b) => a.index - b.index);
  const keywords = [...weights].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0], 'en'));
  return {
    sentences: chosen.map((it) => it.sentence),
    total: sentences.length,
    keywords: keywords.slice(0, 5).map(([word]) => word),
  };
}

function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  return text
    .split(/\n+/)
    .map((line) => line.replace(/^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s*)/, '').trim())
    .flatMap((line) => [...segmenter.segment(line)].map((it) => it.segment.trim()))
    .filter((sentence) => /\p{L}/u.test(sentence));
}

function wordsOf(sentence: string): string[] {
  const words = sentence.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return words.filter((word) => word.length > 2 && !STOP_WORDS.has(word));
}

function wordWeights(sentences: readonly string[]): Map<string, number> {
  const weights = new Map<string, number>();
  for (const word of sentences.flatMap(wordsOf)) weights.set(word, (weights.get(word) ?? 0) + 1);
  return weights;
}

// Divided by the root of the length: the sum would always choose the longest sentence, the mean the shortest.
function scoreOf(sentence: string, weights: ReadonlyMap<string, number>): number {
  const words = wordsOf(sentence);
  if (words.length === 0) return 0;
  return words.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0) / Math.sqrt(words.length);
}

// Texts whose words are spread as those of a language are: a few in every text, most of them in few.

const SYLLABLES =
  'ba co de fi gu ha jo ke li mu na po re si tu va wo xe yi zu bra cle dri flo gru sta tre pla sko'.split(
    ' ',
  );
const WORDS = 40_000;

/** The word of this rank, the same for ever; 0 is the commonest. */
export function wordOfRank(rank: number): string {
  let word = '';
  for (let rest = rank + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length] ?? '';
  return word;
}

/** So many words, the same for the same seed. */
export function recordText(seed: number, words: number): string {
  let state = (Math.imul(seed + 1, 2_654_435_761) + 12_345) >>> 0;
  const text: string[] = [];
  while (text.length < words) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // Zipf's law, about: the rank is as probable as it is low.
    text.push(wordOfRank(Math.floor(WORDS ** (state / 2 ** 32)) - 1));
  }
  return text.join(' ');
}

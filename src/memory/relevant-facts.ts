// Chooses the facts of a prompt when not all of them fit. Pure.
import { tokensOf } from '../messages/search/search-tokens.ts';
import type { MemoryFact } from '../storage/memories.ts';

/** Categories that are worth knowing for any question. */
const ALWAYS = new Set(['identity', 'preference', 'correction', 'constraint']);
/** Words that begin alike count as one, because most languages inflect at the end. */
const STEM_CHARACTERS = 5;
const LEAST_CHARACTERS = 3;
/** Characters of the question that are read. It begins with its subject. */
const MOST_CHARACTERS_READ = 4_000;

/** Returns the chosen facts in their stored order. `sizeOf` returns the tokens of one fact. */
export function relevantFacts(
  facts: readonly MemoryFact[],
  question: string,
  { budget, sizeOf }: { readonly budget: number; readonly sizeOf: (fact: MemoryFact) => number },
): readonly MemoryFact[] {
  const sized = facts.map((fact) => ({ fact, size: sizeOf(fact) }));
  if (sized.reduce((sum, { size }) => sum + size, 0) <= budget) return facts;
  const asked = stemsOf(question.slice(0, MOST_CHARACTERS_READ));
  const ranked = sized
    .map((it) => ({ ...it, score: scoreOf(it.fact, asked) }))
    .toSorted((a, b) => b.score - a.score || b.fact.createdAt - a.fact.createdAt);
  let left = budget;
  const chosen = new Set<MemoryFact>();
  for (const { fact, size } of ranked) {
    if (size > left) continue;
    left -= size;
    chosen.add(fact);
  }
  return facts.filter((fact) => chosen.has(fact));
}

function scoreOf({ content, category, confidence }: MemoryFact, asked: ReadonlySet<string>): number {
  const isAsked = (stem: string) => [...asked].some((it) => it.startsWith(stem) || stem.startsWith(it));
  const common = [...stemsOf(content)].filter(isAsked).length;
  return common * 2 + (ALWAYS.has(category) ? 1 : 0) + confidence;
}

function stemsOf(text: string): ReadonlySet<string> {
  const words = tokensOf(text).filter(
    (word) => word.length >= LEAST_CHARACTERS || /[^\p{ASCII}]/u.test(word),
  );
  return new Set(words.map((word) => word.slice(0, STEM_CHARACTERS)));
}

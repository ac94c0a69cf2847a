// Facts, their limits, and changes of one fact in a list. Pure.
import type { MemoryFact } from '../storage/memories.ts';

/** For the agent, which does not know storage. */
export type { MemoryFact } from '../storage/memories.ts';

export const MAX_CONTENT_CHARACTERS = 500;
export const CATEGORY = /^[a-z][a-z0-9_-]{0,31}$/;
export const FACT_ID = /^[A-Za-z0-9_-]{1,64}$/;
export const DEFAULT_CATEGORY = 'context';

/** Returns a fact's text as one line without control characters; an empty string if nothing remains. */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** True when both say the same, apart from case, spaces and a period at the end. */
export function isSameContent(a: string, b: string): boolean {
  return comparable(a) === comparable(b);
}

function comparable(content: string): string {
  const text = oneLine(content).normalize('NFKC').toLowerCase();
  return text.endsWith('.') ? text.slice(0, -1) : text;
}

type Changed =
  | { readonly kind: 'changed'; readonly facts: readonly MemoryFact[] }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'full' }
  | { readonly kind: 'absent' };

export function withFact(facts: readonly MemoryFact[], fact: MemoryFact, most: number): Changed {
  if (facts.some(({ content }) => isSameContent(content, fact.content))) return { kind: 'duplicate' };
  if (facts.length >= most) return { kind: 'full' };
  return { kind: 'changed', facts: [...facts, fact] };
}

export type FactPatch = Partial<Pick<MemoryFact, 'content' | 'category' | 'confidence'>>;

/** Changes one fact. A fact that the person has reworded becomes the person's own. */
export function withPatch(facts: readonly MemoryFact[], id: string, patch: FactPatch): Changed {
  const { content } = patch;
  const isTwin = (it: MemoryFact) => it.id !== id && isSameContent(it.content, content ?? it.id);
  if (!facts.some((it) => it.id === id)) return { kind: 'absent' };
  if (content !== undefined && facts.some(isTwin)) return { kind: 'duplicate' };
  const patched = (fact: MemoryFact): MemoryFact => {
    const isRewritten = content !== undefined && content !== fact.content;
    return { ...fact, ...patch, ...(isRewritten ? { source: { kind: 'manual' } } : {}) };
  };
  return { kind: 'changed', facts: facts.map((it) => (it.id === id ? patched(it) : it)) };
}

export function withoutFact(facts: readonly MemoryFact[], id: string): Changed {
  const left = facts.filter((it) => it.id !== id);
  return left.length === facts.length ? { kind: 'absent' } : { kind: 'changed', facts: left };
}

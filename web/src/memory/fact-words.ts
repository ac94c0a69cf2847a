// Facts in the words of the page.
import type { MemoryFact } from '../api/memory-calls.ts';

/** The categories that agents use; a fact may have another one. */
export const CATEGORIES = [
  'preference',
  'identity',
  'knowledge',
  'context',
  'behavior',
  'goal',
  'constraint',
  'decision',
  'correction',
] as const;

export function categoryText(category: string): string {
  return category.charAt(0).toUpperCase() + category.slice(1).replaceAll(/[_-]/g, ' ');
}

export function percentOf(confidence: number): number {
  return Math.round(confidence * 100);
}

export function matchesFact({ content, category }: MemoryFact, words: string): boolean {
  const wanted = words.trim().toLowerCase();
  return [content, categoryText(category)].some((text) => text.toLowerCase().includes(wanted));
}

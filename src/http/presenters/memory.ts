// The memory of an agent in its wire format.
import { z } from 'zod';
import type { Memory } from '../../memory/memory-service.ts';
import type { FactSource, MemoryFact } from '../../storage/memories.ts';
import { presenterOf } from './presenter-of.ts';
import { messageIdField, threadIdField, timeField, timestamp } from './wire-fields.ts';

const sourceSchema = z.object({
  kind: z.enum(['thread', 'manual', 'import']),
  /** The thread may no longer exist. */
  thread_id: threadIdField.nullable(),
  message_id: messageIdField.nullable(),
});

const factSchema = z
  .object({
    id: z.string().meta({ examples: ['fact_01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20'] }),
    content: z.string().meta({ examples: ['Drinks green tea'] }),
    category: z.string().meta({ examples: ['preference'] }),
    confidence: z.number(),
    created_at: timeField,
    source: sourceSchema,
  })
  .meta({ id: 'MemoryFact' });

const summarySchema = z.object({ summary: z.string(), updated_at: timeField.nullable() });

export const memorySchema = z
  .object({
    version: z.literal('1.0'),
    agent: z.string(),
    /** Increases with every change. An undo names it. */
    revision: z.int(),
    last_updated: timeField.nullable(),
    /** Whether the last change can be undone. */
    can_undo: z.boolean(),
    /** Derived from the facts and changes only with them. */
    user: z.object({
      work_context: summarySchema,
      personal_context: summarySchema,
      top_of_mind: summarySchema,
    }),
    /** Derived from the facts by their age. */
    history: z.object({
      recent_months: summarySchema,
      earlier_context: summarySchema,
      long_term_background: summarySchema,
    }),
    facts: z.array(factSchema),
  })
  .meta({ id: 'Memory' });

const PERSONAL = new Set(['preference', 'identity', 'behavior', 'correction']);
const MOST_SUMMARY_CHARACTERS = 2_000;
const RECENT_MS = 90 * 86_400_000;
const EARLIER_MS = 365 * 86_400_000;

/** Returns the memory with its facts in order of creation. `now` is in epoch milliseconds. */
export function presentMemory(memory: Memory, now: number): z.output<typeof memorySchema> {
  const { facts } = memory;
  const ofCategory = (isIn: (category: string) => boolean) =>
    summaryOf(facts.filter(({ category }) => isIn(category)));
  const ofAge = (from: number, to: number) =>
    summaryOf(facts.filter(({ createdAt }) => now - createdAt >= from && now - createdAt < to));
  return {
    version: '1.0',
    agent: memory.agent,
    revision: memory.revision,
    last_updated: memory.updatedAt === null ? null : timestamp(memory.updatedAt),
    can_undo: memory.previous !== null,
    user: {
      work_context: ofCategory((it) => !PERSONAL.has(it) && it !== 'goal'),
      personal_context: ofCategory((it) => PERSONAL.has(it)),
      top_of_mind: ofCategory((it) => it === 'goal'),
    },
    history: {
      recent_months: ofAge(Number.NEGATIVE_INFINITY, RECENT_MS),
      earlier_context: ofAge(RECENT_MS, EARLIER_MS),
      long_term_background: ofAge(EARLIER_MS, Number.POSITIVE_INFINITY),
    },
    facts: facts.map((fact) => presentFact({ ...fact, source: presentSource(fact.source) })),
  };
}

const presentFact = presenterOf(factSchema);

function presentSource(source: FactSource): z.output<typeof sourceSchema> {
  if (source.kind !== 'thread') return { kind: source.kind, thread_id: null, message_id: null };
  return { kind: source.kind, thread_id: source.threadId, message_id: source.messageId };
}

/** Returns a summary: newest facts first, as many whole ones as fit. */
function summaryOf(facts: readonly MemoryFact[]): z.output<typeof summarySchema> {
  let summary = '';
  const newest = facts.toSorted((a, b) => b.createdAt - a.createdAt);
  for (const { content } of newest) {
    const longer = summary === '' ? content : `${summary}; ${content}`;
    if (longer.length > MOST_SUMMARY_CHARACTERS) break;
    summary = longer;
  }
  const [last] = newest;
  return { summary, updated_at: last === undefined ? null : timestamp(last.createdAt) };
}

// How far the summary reaches that the agent is shown in the place of older messages.
import * as z from 'zod/mini';

export interface SummaryMark {
  /** The id of the last turn that it reaches into. */
  readonly turnId: string;
  readonly text: string;
}

const summarySchema = z.object({ text: z.string(), message_count: z.number() });
const humanSchema = z.object({ type: z.literal('human'), id: z.string() });

export function readSummaryMark(summary: unknown, messages: readonly unknown[]): SummaryMark | undefined {
  const { success, data } = z.safeParse(summarySchema, summary);
  if (!success) return undefined;
  for (let index = Math.min(data.message_count, messages.length) - 1; index >= 0; index--) {
    const human = z.safeParse(humanSchema, messages[index]);
    if (human.success) return { turnId: human.data.id, text: data.text };
  }
  return undefined;
}

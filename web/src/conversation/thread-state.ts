// Reads the state of a thread: the newest checkpoint, the plan, the goal, and how far the summary reaches.
import * as z from 'zod/mini';
import { GOAL_FIELDS, type Goal } from '../api/goal-calls.ts';
import type { Checkpoint } from '../api/shapes.ts';

interface StateView {
  readonly next: readonly string[];
  readonly checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null;
  readonly parent_checkpoint?: { readonly checkpoint_id?: string | null | undefined } | null | undefined;
  readonly metadata?: unknown;
}

/** Returns the newest checkpoint. Undefined while the thread has no state. */
export function headOf(state: StateView | undefined): Checkpoint | undefined {
  const id = state?.checkpoint?.checkpoint_id;
  if (state === undefined || id == null) return undefined;
  return {
    checkpoint_id: id,
    parent_checkpoint_id: state.parent_checkpoint?.checkpoint_id ?? null,
    next: [...state.next],
    metadata: { source: textAt(state.metadata, 'source'), run_id: textAt(state.metadata, 'run_id') },
  };
}

function textAt(metadata: unknown, name: 'source' | 'run_id'): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined;
  const value: unknown = Reflect.get(metadata, name);
  return typeof value === 'string' ? value : undefined;
}

const planSchema = z.array(
  z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) }),
);

export type PlanItem = z.infer<typeof planSchema>[number];

/** Returns an empty list for anything that is not a plan. */
export function readPlan(todos: unknown): readonly PlanItem[] {
  return z.safeParse(planSchema, todos).data ?? [];
}

export function doneIn(plan: readonly PlanItem[]): number {
  return plan.filter(({ status }) => status === 'completed').length;
}

const stateGoalSchema = z.object({ ...GOAL_FIELDS, continued: z.array(z.unknown()) });

/** Returns undefined for anything that is not a goal. */
export function readGoal(value: unknown): Goal | undefined {
  const { data } = z.safeParse(stateGoalSchema, value);
  if (data === undefined) return undefined;
  const { continued, ...goal } = data;
  return { ...goal, continuations: continued.length };
}

export interface SummaryMark {
  /** The id of the last turn that the summary covers, in whole or in part. */
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

// The plan of the agent, read off the state or off a call that writes it.
import * as z from 'zod/mini';

const planSchema = z.array(
  z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) }),
);

export type PlanItem = z.infer<typeof planSchema>[number];

/** Empty for what is no plan. */
export function readPlan(todos: unknown): readonly PlanItem[] {
  return z.safeParse(planSchema, todos).data ?? [];
}

export function doneIn(plan: readonly PlanItem[]): number {
  return plan.filter(({ status }) => status === 'completed').length;
}

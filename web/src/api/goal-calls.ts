// The calls about the goal of a thread.
import * as z from 'zod/mini';
import { type Call, read, threadPath } from './call.ts';

/** The fields of a goal that the state of a thread and the API share. */
export const GOAL_FIELDS = {
  text: z.string(),
  status: z.enum(['active', 'met', 'max_continuations', 'no_progress', 'token_budget']),
  max_continuations: z.number(),
  max_no_progress: z.number(),
  token_budget: z.nullable(z.number()),
  spent_tokens: z.number(),
  /** The newest judgement, and the message that it is about. */
  evaluation: z.nullable(
    z.object({
      message_id: z.string(),
      verdict: z.enum(['met', 'not_met', 'blocked', 'unknown']),
      reason: z.string(),
    }),
  ),
};
const goalSchema = z.object({ ...GOAL_FIELDS, continuations: z.number() });
export type Goal = z.infer<typeof goalSchema>;
export type ChosenGoal = Pick<Goal, 'text' | 'max_continuations' | 'max_no_progress' | 'token_budget'>;

export function createGoalCalls(call: Call) {
  const path = (threadId: string) => `${threadPath(threadId)}/goal`;
  return {
    /** Sets a new goal. The service refuses while a run is active. */
    setGoal: async (threadId: string, goal: ChosenGoal): Promise<Goal> =>
      (await read(await call('PUT', path(threadId), goal), z.object({ goal: goalSchema }))).goal,
    removeGoal: (threadId: string) => call('DELETE', path(threadId)),
  };
}

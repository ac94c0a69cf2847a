// The goal of a thread in its wire format.
import { z } from 'zod';
import { GOAL_STATUSES, GOAL_VERDICTS, type Goal } from '../../agent/goals/goal.ts';
import { messageIdField, timeField } from './wire-fields.ts';

export const goalResponseSchema = z
  .object({
    goal: z
      .object({
        text: z.string(),
        status: z.enum(GOAL_STATUSES).describe('`active`, or why the agent no longer works on it'),
        max_continuations: z.int(),
        continuations: z.int().describe('How often the agent continued on its own'),
        max_no_progress: z.int(),
        no_progress: z.int().describe('Consecutive continuations without progress'),
        token_budget: z.int().nullable(),
        spent_tokens: z.int().describe('Tokens of the runs that worked on it, up to the newest judgement'),
        evaluation: z
          .object({
            message_id: messageIdField,
            verdict: z.enum(GOAL_VERDICTS),
            reason: z.string(),
          })
          .nullable()
          .describe('The newest judgement and the reply it judges'),
        set_at: timeField,
      })
      .nullable(),
  })
  .meta({
    id: 'GoalAnswer',
    examples: [
      {
        goal: {
          text: 'Every test of the project passes',
          status: 'active',
          max_continuations: 5,
          continuations: 1,
          max_no_progress: 2,
          no_progress: 0,
          token_budget: 200_000,
          spent_tokens: 18_200,
          evaluation: {
            message_id: '01993f5a-9c2f-7b08-a1d2-3e4f5a6b7c8d',
            verdict: 'not_met',
            reason: 'Two of forty tests still fail.',
          },
          set_at: '2026-11-21T09:30:00.000Z',
        },
      },
    ],
  });

export function presentGoal(goal: Goal | undefined): z.output<typeof goalResponseSchema> {
  if (goal === undefined) return { goal: null };
  const { counted: _, continued, ...shown } = goal;
  return { goal: { ...shown, continuations: continued.length } };
}

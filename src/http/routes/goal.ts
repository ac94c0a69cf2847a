// The goal of a thread, towards which the agent works on its own.
import { z } from 'zod';
import { type Goal, goalIn, goalLimits, MAX_GOAL_CHARACTERS, newGoal } from '../../agent/goals/goal.ts';
import type { ThreadStateService } from '../../threads/thread-state-service.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { goalResponseSchema, presentGoal } from '../presenters/goal.ts';

export interface GoalRouteDependencies {
  readonly threadStates: ThreadStateService;
  readonly now: () => number;
}

const DEFAULT_CONTINUATIONS = 8;
const DEFAULT_NO_PROGRESS = 2;

const goalBody = z
  .object({
    text: z.string().trim().min(1).max(MAX_GOAL_CHARACTERS).describe('What is to be reached'),
    max_continuations: goalLimits.max_continuations.nullish().meta({
      description: 'The most times the agent continues on its own',
      default: DEFAULT_CONTINUATIONS,
    }),
    max_no_progress: goalLimits.max_no_progress.nullish().meta({
      description: 'Consecutive continuations without progress, after which it stops',
      default: DEFAULT_NO_PROGRESS,
    }),
    token_budget: goalLimits.token_budget
      .nullish()
      .describe('The agent stops continuing once its runs have spent this many tokens; absent: no limit'),
  })
  .meta({
    id: 'GoalRequest',
    examples: [{ text: 'Every test of the project passes', max_continuations: 5, token_budget: 200_000 }],
  });

type GoalBody = z.output<typeof goalBody>;

const path = '/api/threads/{thread_id}/goal';
const responses = ok('The goal', goalResponseSchema);

export function goalRoutes(routes: RouteTable, { threadStates, now }: GoalRouteDependencies): void {
  routes.get(path, {
    operationId: 'getGoal',
    summary: 'The goal of the thread and its progress; null without one',
    thread: 'read',
    responses,
    handle: async (c) => {
      const shown = await threadStates.show(c.var.repositories, c.var.thread);
      return c.json(presentGoal(goalIn(shown?.values ?? {})));
    },
  });
  routes.put(path, {
    operationId: 'setGoal',
    errors: ['conflict', 'insufficient_storage'],
    summary:
      'Set the goal: the agent continues on its own after each answer until the goal is met or a limit is reached. Refused while a run is active',
    thread: 'write',
    body: { kind: 'json', schema: goalBody },
    responses,
    handle: async (c, { body }) => {
      const goal = chosenGoal(body, now());
      const values = { goal };
      const { repositories, thread } = c.var;
      await threadStates.update(repositories, thread, { delta: { messages: [], values }, asNode: null });
      return c.json(presentGoal(goal));
    },
  });
  routes.delete(path, {
    operationId: 'removeGoal',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Remove the goal. Refused while a run is active: cancel it first',
    thread: 'write',
    responses: { 204: { description: 'The thread has none' } },
    handle: async (c) => {
      const { repositories, thread } = c.var;
      const shown = await threadStates.show(repositories, thread);
      if (shown?.values.goal != null) {
        const delta = { messages: [], values: { goal: null } };
        await threadStates.update(repositories, thread, { delta, asNode: null });
      }
    },
  });
}

function chosenGoal({ text, max_continuations, max_no_progress, token_budget }: GoalBody, now: number): Goal {
  return newGoal({
    text,
    max_continuations: max_continuations ?? DEFAULT_CONTINUATIONS,
    max_no_progress: max_no_progress ?? DEFAULT_NO_PROGRESS,
    token_budget: token_budget ?? null,
    set_at: new Date(now).toISOString(),
  });
}

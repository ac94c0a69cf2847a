// The goal of a thread in a run: the agent reads it, its answers are judged, and it goes on until the goal is met.
import type { MiddlewareTrace } from '../agent-event.ts';
import { afterJudgement, answerToJudge, type Goal, goalIn } from '../goals/goal.ts';
import type { GoalJudge } from '../goals/goal-judge.ts';
import { withGoal } from '../goals/goal-prompt.ts';
import type { HookContext, Middleware } from '../middleware.ts';

export interface GoalParts {
  readonly judge: GoalJudge;
  /** Tokens that the run has spent so far, over all attempts. */
  readonly runTokens: () => number;
  /** Whether a message of the person waits for the end of the run. */
  readonly isAwaited: (run: Pick<HookContext, 'userId' | 'threadId'>) => Promise<boolean>;
}

/**
 * Everything is known from the state, so that a run that is taken up goes on as it was: an answer is judged until the
 * judgement is written down, together with whether the agent goes on. Without an active goal it looks at one field.
 */
export function createGoalMiddleware({ judge, runTokens, isAwaited }: GoalParts): Middleware {
  return {
    name: 'goal',
    shapeRequest(request, { values }) {
      const goal = goalIn(values);
      return goal === undefined ? request : withGoal(request, goal);
    },
    async afterModel(context, emit) {
      const { state, runId, signal } = context;
      const goal = goalIn(state.values);
      const answer = answerToJudge(state);
      // What the person has to say comes first; its answer will be judged.
      if (goal === undefined || answer === undefined || signal.aborted || (await isAwaited(context)))
        return undefined;
      const judgement = await judge({ goal, state, signal }, emit);
      if (judgement === undefined) return undefined;
      const judged = afterJudgement({ goal, state, answer, judgement, runId, runTokens: runTokens() });
      const goesOn = judged.continues && !(await isAwaited(context));
      const { continued } = goesOn ? judged.goal : goal;
      const changed = { ...judged.goal, continued };
      await emit(traceOf(changed, goesOn ? 'continue' : 'end'));
      return { delta: { messages: [], values: { goal: changed } }, ...(goesOn && { asksAgain: true }) };
    },
  };
}

function traceOf(goal: Goal, action: 'continue' | 'end'): MiddlewareTrace {
  const { status, no_progress, spent_tokens, evaluation, continued } = goal;
  const changes = { status, continuations: continued.length, no_progress, spent_tokens, evaluation };
  const content = { name: 'goal', hook: 'after_model', action, changes };
  return { type: 'middleware', tag: 'goal', content, metadata: {} };
}

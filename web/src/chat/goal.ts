// The goal of a chat, read off the state, and how it stands in words.
import * as z from 'zod/mini';
import { GOAL_FIELDS, type Goal } from '../api/goal-calls.ts';
import { exactTokensText } from '../usage/amounts.ts';

const stateGoalSchema = z.object({ ...GOAL_FIELDS, continued: z.array(z.unknown()) });

/** Undefined for what is no goal. */
export function readGoal(value: unknown): Goal | undefined {
  const { data } = z.safeParse(stateGoalSchema, value);
  if (data === undefined) return undefined;
  const { continued, ...goal } = data;
  return { ...goal, continuations: continued.length };
}

export interface GoalStanding {
  /** A few words. */
  readonly word: string;
  readonly tone: 'neutral' | 'success' | 'warning';
  /** What it means, and what the person can do. */
  readonly sentence: string;
  /** What the button says that goes on. */
  readonly next: 'Start' | 'Go on' | 'Set again' | undefined;
}

const WORKING: GoalStanding = {
  word: 'In progress',
  tone: 'neutral',
  sentence: 'The agent goes on by itself until the goal is reached. A message of yours comes first.',
  next: undefined,
};
const ENDED = { tone: 'warning', next: 'Set again' } as const;

/** `isWorking`: an answer is being written. */
export function standingOf(goal: Goal, isWorking: boolean): GoalStanding {
  switch (goal.status) {
    case 'active':
      return isWorking ? WORKING : restingOf(goal);
    case 'met':
      return { word: 'Reached', tone: 'success', sentence: 'The goal is reached.', next: undefined };
    case 'max_continuations':
      return {
        word: 'Stopped',
        sentence: `The agent went on ${timesText(goal.continuations)}, which is the limit that was set. Set the goal again to go on.`,
        ...ENDED,
      };
    case 'no_progress':
      return {
        word: 'No progress',
        sentence: 'The agent stopped because it came no closer. Say what would help, or set the goal again.',
        ...ENDED,
      };
    case 'token_budget':
      return {
        word: 'Budget spent',
        sentence: 'The agent stopped because the tokens for this goal are spent. Set it again to go on.',
        ...ENDED,
      };
    default:
      return goal.status satisfies never;
  }
}

function restingOf({ evaluation }: Goal): GoalStanding {
  if (evaluation === null)
    return {
      word: 'Not begun',
      tone: 'neutral',
      sentence: 'Work begins with your next message.',
      next: 'Start',
    };
  if (evaluation.verdict === 'blocked')
    return { word: 'Needs you', tone: 'warning', sentence: 'Only you can help here.', next: undefined };
  const sentence = 'Work goes on with your next message.';
  return { word: 'Paused', tone: 'neutral', sentence, next: 'Go on' };
}

/** How much of its limits is used. */
export function spentText({ continuations, max_continuations, spent_tokens, token_budget }: Goal): string {
  const went = `Went on ${continuations} of ${timesText(max_continuations)}`;
  const spent = exactTokensText(spent_tokens);
  const limit = token_budget === null ? '' : ` of ${exactTokensText(token_budget)}`;
  return spent_tokens === 0 && token_budget === null ? went : `${went} · ${spent}${limit} tokens`;
}

function timesText(times: number): string {
  return times === 1 ? '1 time' : `${times} times`;
}

// The goal of a thread: a field of its state, and how a judgement changes it. Pure.
import { z } from 'zod';
import { type AiMessage, type JsonObject, type Message, textOf } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { isFromPerson } from '../compaction/thread-view.ts';

export const MAX_GOAL_CHARACTERS = 4_000;
const MAX_CONTINUATIONS = 20;
const MAX_NO_PROGRESS = 10;
const MAX_TOKEN_BUDGET = 1_000_000_000;
export const MAX_REASON_CHARACTERS = 500;
const MAX_ID_CHARACTERS = 256;

export const goalLimits = {
  max_continuations: z.int().min(1).max(MAX_CONTINUATIONS),
  max_no_progress: z.int().min(1).max(MAX_NO_PROGRESS),
  token_budget: z.int().min(1_000).max(MAX_TOKEN_BUDGET),
};

/** Every status but `active` is final: the agent works again only when the goal is set again. */
export const GOAL_STATUSES = ['active', 'met', 'max_continuations', 'no_progress', 'token_budget'] as const;
/** `blocked`: only the person can help. `unknown`: the evaluator could not decide. */
export const GOAL_VERDICTS = ['met', 'not_met', 'blocked', 'unknown'] as const;

const messageId = z.string().max(MAX_ID_CHARACTERS);
const reason = z.string().max(MAX_REASON_CHARACTERS);
const count = z.int().min(0);

const goalSchema = z.object({
  text: z.string().min(1).max(MAX_GOAL_CHARACTERS),
  status: z.enum(GOAL_STATUSES),
  max_continuations: goalLimits.max_continuations,
  max_no_progress: goalLimits.max_no_progress,
  token_budget: goalLimits.token_budget.nullable(),
  /** Continuations in a row without progress. */
  no_progress: count,
  /** Tokens of the runs that worked on the goal. */
  spent_tokens: count,
  /** The run that was counted last, and the tokens spent before it. A run can be judged more than once. */
  counted: z.object({ run_id: z.string().max(MAX_ID_CHARACTERS), before: count }).nullable(),
  /** The newest judgement, and the reply that it is about. */
  evaluation: z.object({ message_id: messageId, verdict: z.enum(GOAL_VERDICTS), reason }).nullable(),
  /** The replies after which the agent continued by itself, and what was missing. */
  continued: z.array(z.object({ message_id: messageId, reason })).max(MAX_CONTINUATIONS),
  set_at: z.iso.datetime(),
});

export type Goal = z.output<typeof goalSchema>;
type GoalVerdict = (typeof GOAL_VERDICTS)[number];

export interface Judgement {
  readonly verdict: GoalVerdict;
  /** Whether the last reply and the work before it brought the goal closer. */
  readonly progress: boolean;
  /** At most 500 characters. */
  readonly reason: string;
}

export type ChosenGoal = Pick<
  Goal,
  'text' | 'max_continuations' | 'max_no_progress' | 'token_budget' | 'set_at'
>;

export function newGoal(chosen: ChosenGoal): Goal {
  return {
    ...chosen,
    status: 'active',
    no_progress: 0,
    spent_tokens: 0,
    counted: null,
    evaluation: null,
    continued: [],
  };
}

/** Returns `undefined` for a thread without a goal, and for a value of another form. */
export function goalIn({ goal }: JsonObject): Goal | undefined {
  return goal === undefined || goal === null ? undefined : goalSchema.safeParse(goal).data;
}

/** Returns the last reply, when a goal is active and that reply has not been judged yet. */
export function replyToJudge({ messages, values }: ThreadState): AiMessage | undefined {
  const goal = goalIn(values);
  if (goal?.status !== 'active') return undefined;
  const reply = messages.at(-1);
  if (reply?.type !== 'ai' || reply.tool_calls.length > 0) return undefined;
  if (reply.response_metadata.finish_reason !== 'stop') return undefined;
  return goal.evaluation?.message_id === reply.id ? undefined : reply;
}

interface Judged {
  readonly goal: Goal;
  readonly state: Pick<ThreadState, 'messages'>;
  readonly reply: AiMessage;
  readonly judgement: Judgement;
  readonly runId: string;
  /** Tokens of the run so far. */
  readonly runTokens: number;
}

/** Returns the goal after the judgement. With `continues`, the agent continues by itself. */
export function afterJudgement(judged: Judged): { readonly goal: Goal; readonly continues: boolean } {
  const { goal, reply, judgement, runId, runTokens } = judged;
  const { verdict, reason } = judgement;
  const before = goal.counted?.run_id === runId ? goal.counted.before : goal.spent_tokens;
  const counted: Goal = {
    ...goal,
    evaluation: { message_id: reply.id, verdict, reason },
    no_progress: broughtNothing(judged) ? goal.no_progress + 1 : 0,
    spent_tokens: before + runTokens,
    counted: { run_id: runId, before },
  };
  const status = statusOf(counted, verdict);
  if (status !== 'active' || verdict !== 'not_met') return { goal: { ...counted, status }, continues: false };
  const continued = [...goal.continued, { message_id: reply.id, reason }];
  return { goal: { ...counted, continued }, continues: true };
}

function statusOf(goal: Goal, verdict: GoalVerdict): Goal['status'] {
  if (verdict === 'met') return 'met';
  if (verdict !== 'not_met') return 'active';
  if (goal.no_progress >= goal.max_no_progress) return 'no_progress';
  if (goal.continued.length >= goal.max_continuations) return 'max_continuations';
  return goal.token_budget !== null && goal.spent_tokens >= goal.token_budget ? 'token_budget' : 'active';
}

/** Whether a continuation made no progress. Never true for a reply to a message of the person. */
function broughtNothing({ goal, state, reply, judgement }: Judged): boolean {
  const last = goal.continued.at(-1);
  if (last === undefined) return false;
  const { messages } = state;
  const index = messages.findLastIndex(({ id }) => id === last.message_id);
  if (index < 0 || messages.findLastIndex(isFromPerson) > index) return false;
  return !judgement.progress || saysTheSame(messages.slice(index), reply);
}

/** Whether the reply repeats the text of the earlier one, with no tool in between. */
function saysTheSame([before, ...after]: readonly Message[], reply: AiMessage): boolean {
  if (before === undefined || after.some(({ type }) => type === 'tool')) return false;
  return textOf(before.content).trim() === textOf(reply.content).trim();
}

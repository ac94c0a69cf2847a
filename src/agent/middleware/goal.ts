// The goal of a thread in a run: the agent reads it and continues until its replies are judged to meet it.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import type { AiMessage, HumanMessage, Message } from '../../messages/message.ts';
import type { ModelRequest } from '../../models/model.ts';
import type { MiddlewareTrace } from '../agent-event.ts';
import { afterJudgement, type Goal, goalIn, replyToJudge } from '../goals/goal.ts';
import type { GoalJudge } from '../goals/goal-judge.ts';
import type { HookContext, Middleware } from '../middleware.ts';
import { systemReminder } from '../notices.ts';

export interface GoalParts {
  readonly judge: GoalJudge;
  /** Tokens that the run has spent so far, over all attempts. */
  readonly runTokens: () => number;
  /** Whether a message of the person is waiting for the run to end. */
  readonly isAwaited: (run: Pick<HookContext, 'userId' | 'threadId'>) => Promise<boolean>;
}

/** Keeps everything in the state, so a resumed run continues. A reply is judged until that is stored. */
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
      const reply = replyToJudge(state);
      // The person's message comes first; the reply to it will be judged.
      if (goal === undefined || reply === undefined || signal.aborted || (await isAwaited(context)))
        return undefined;
      const judgement = await judge({ goal, state, signal }, emit);
      if (judgement === undefined) return undefined;
      const judged = afterJudgement({ goal, state, reply, judgement, runId, runTokens: runTokens() });
      const continues = judged.continues && !(await isAwaited(context));
      const { continued } = continues ? judged.goal : goal;
      const changed = { ...judged.goal, continued };
      await emit(traceOf(changed, continues ? 'continue' : 'end'));
      return { delta: { messages: [], values: { goal: changed } }, ...(continues && { asksAgain: true }) };
    },
  };
}

function traceOf(goal: Goal, action: 'continue' | 'end'): MiddlewareTrace {
  const { status, no_progress, spent_tokens, evaluation, continued } = goal;
  const changes = { status, continuations: continued.length, no_progress, spent_tokens, evaluation };
  const content = { name: 'goal', hook: 'after_model', action, changes };
  return { type: 'middleware', tag: 'goal', content };
}

/** Returns the request with this goal. Reminders keep their positions, so that the provider's cache holds. */
function withGoal(request: ModelRequest, goal: Goal): ModelRequest {
  const messages = withReminders(request.messages, goal);
  return goal.status === 'active'
    ? { ...request, messages, system: `${request.system}\n\n${section(goal)}` }
    : { ...request, messages };
}

function section({ text }: Goal): string {
  return `The person has set a goal for this conversation:
<thread_goal>
${withoutForgedMarks(text)}
</thread_goal>
Work towards it, also beyond the last message. When you end, it is judged whether the goal is met; while it is not, you are asked to go on. Say plainly what is done, how you checked it, and what is left. Where only the person can help, ask.`;
}

function withReminders(messages: readonly Message[], { continued }: Goal): readonly Message[] {
  if (continued.length === 0) return messages;
  const reasons = new Map(continued.map(({ message_id, reason }) => [message_id, reason]));
  return messages.flatMap((message) => {
    const reason = message.type === 'ai' ? reasons.get(message.id) : undefined;
    return reason === undefined || message.type !== 'ai'
      ? [message]
      : [message, reminderAfter(message, reason)];
  });
}

function reminderAfter(reply: AiMessage, reason: string): HumanMessage {
  const text =
    'The goal of this conversation is not met yet. What is missing, as far as it was judged:\n' +
    `${reason}\nGo on with the work. Do not repeat what you have said, and do not mention this reminder.`;
  return systemReminder(reply, 'goal', text);
}

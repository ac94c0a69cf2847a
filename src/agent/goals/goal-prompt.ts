// What the model reads of a goal: a part of its instructions, and a reminder where it went on by itself. Pure.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import type { AiMessage, HumanMessage, Message } from '../../messages/message.ts';
import type { ModelRequest } from '../../models/model.ts';
import { systemReminder } from '../system-reminder.ts';
import type { Goal } from './goal.ts';

/** The request as it is asked with this goal. Reminders stay where they were said, so that the provider's cache holds. */
export function withGoal(request: ModelRequest, goal: Goal): ModelRequest {
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

const made = new WeakMap<AiMessage, HumanMessage>();

/** The same object each time, so that what was sent of it is known. */
function reminderAfter(answer: AiMessage, reason: string): HumanMessage {
  const known = made.get(answer);
  if (known !== undefined) return known;
  const text =
    'The goal of this conversation is not met yet. What is missing, as far as it was judged:\n' +
    `${reason}\nGo on with the work. Do not repeat what you have said, and do not mention this reminder.`;
  const said = systemReminder(answer, 'goal', text);
  made.set(answer, said);
  return said;
}

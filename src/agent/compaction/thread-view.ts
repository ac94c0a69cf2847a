// What the model is shown of a thread: the summary of its older messages, and the messages after it.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import { type HumanMessage, humanMessage, type Message } from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { summaryOf, type ThreadSummary } from '../../messages/thread-summary.ts';

export interface ThreadView {
  readonly shown: readonly Message[];
  readonly hidden: readonly Message[];
}

/** Returns what to show, always including the thread's instructions and the person's newest message. */
export function viewOf(state: ThreadState): ThreadView {
  const summary = summaryOf(state);
  if (summary === undefined) return { shown: state.messages, hidden: [] };
  const hidden = state.messages.slice(0, summary.message_count);
  const after = state.messages.slice(summary.message_count);
  // Hidden messages are not searched for these: a turn must not become slower as the thread grows.
  const instructions = summary.instructions_at.flatMap((index) => state.messages[index] ?? []);
  const question = after.some(isFromPerson) ? undefined : hidden.findLast(isFromPerson);
  const kept = question === undefined ? instructions : [...instructions, question];
  return { shown: [summaryMessage(summary), ...kept, ...after], hidden };
}

/** Whether the person wrote the message, and not the service in their name. */
export function isFromPerson(message: Message): message is HumanMessage {
  return message.type === 'human' && message.additional_kwargs.hide_from_ui !== true;
}

/** Returns one message object per summary, because what is known of a prompt is keyed by its messages. */
const summaryMessage = oncePerObject(({ text, up_to_message_id: id }: ThreadSummary) => {
  const content =
    'The earlier part of this conversation is no longer shown. This summary is all you know of it:\n' +
    `<conversation_summary>\n${withoutForgedMarks(text)}\n</conversation_summary>\n` +
    'The conversation continues below. Continue it, and do not mention the summary.';
  return humanMessage(`${id}:summary`, content, { additional_kwargs: { hide_from_ui: true } });
});

/** Returns the person's newest message, or `undefined` once the agent or a tool has responded. */
export function newQuestion({ messages }: ThreadState): HumanMessage | undefined {
  const last = messages.findLastIndex(({ type }) => type === 'ai' || type === 'tool');
  return messages.slice(last + 1).findLast(isFromPerson);
}

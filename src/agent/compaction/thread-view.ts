// What the model is shown of a thread: the summary of its older messages, and what came after them.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import { type HumanMessage, humanMessage, type Message } from '../../messages/message.ts';
import type { ThreadState } from '../../messages/thread-state.ts';
import { summaryOf, type ThreadSummary } from '../../messages/thread-summary.ts';

export interface ThreadView {
  readonly shown: readonly Message[];
  readonly hidden: readonly Message[];
}

/** Instructions of the thread and the newest message of the person are shown wherever they are. */
export function viewOf(state: ThreadState): ThreadView {
  const summary = summaryOf(state);
  if (summary === undefined) return { shown: state.messages, hidden: [] };
  const hidden = state.messages.slice(0, summary.message_count);
  const after = state.messages.slice(summary.message_count);
  // What is hidden is not read: a turn must not become slower with the thread.
  const instructions = summary.instructions_at.flatMap((index) => state.messages[index] ?? []);
  const question = after.some(isFromPerson) ? undefined : hidden.findLast(isFromPerson);
  const kept = question === undefined ? instructions : [...instructions, question];
  return { shown: [summaryMessage(summary), ...kept, ...after], hidden };
}

/** Words of the person, not those that the service adds in their name. */
export function isFromPerson(message: Message): message is HumanMessage {
  return message.type === 'human' && message.additional_kwargs.hide_from_ui !== true;
}

const messages = new WeakMap<ThreadSummary, HumanMessage>();

/** One message for a summary: what is known of a prompt is known by the messages it has. */
function summaryMessage(summary: ThreadSummary): HumanMessage {
  const message = messages.get(summary) ?? newSummaryMessage(summary);
  messages.set(summary, message);
  return message;
}

function newSummaryMessage({ text, up_to_message_id: id }: ThreadSummary): HumanMessage {
  const content =
    'The earlier part of this conversation is not shown any more. This summary of it is what you know of it:\n' +
    `<conversation_summary>\n${withoutForgedMarks(text)}\n</conversation_summary>\n` +
    'The conversation goes on below. Go on with it, and do not mention the summary.';
  return humanMessage(`${id}:summary`, content, { additional_kwargs: { hide_from_ui: true } });
}

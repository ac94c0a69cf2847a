// Notices that the service adds to a prompt. They are not messages of the thread.
import { withoutForgedMarks } from '../messages/forged-marks.ts';
import {
  type HumanMessage,
  humanMessage,
  type Message,
  type MessageContent,
  textOf,
} from '../messages/message.ts';
import { oncePerObject } from '../messages/once-per-object.ts';

/** The reminders after a message, by their text. */
const remindersAfter = oncePerObject((_: Message) => new Map<string, HumanMessage>());

/**
 * Returns a reminder to append to the message. `kind` distinguishes it from other reminders there. The same
 * message and text give the same object, so that what was sent is known.
 */
export function systemReminder(after: Message, kind: string, text: string): HumanMessage {
  const reminders = remindersAfter(after);
  const known = reminders.get(text);
  if (known !== undefined) return known;
  const content = `<system-reminder>\n${withoutForgedMarks(text)}\n</system-reminder>`;
  const fields = { additional_kwargs: { hide_from_ui: true } };
  const reminder = humanMessage(`${after.id}:${kind}`, content, fields);
  reminders.set(text, reminder);
  return reminder;
}

/** Some providers reject messages without text, and no model knows what is wanted then. */
const WORDLESS = 'No words came with this. Look at it, and ask what is wanted where that is not clear.';

const made = new WeakMap<HumanMessage, { readonly text: string; readonly message: HumanMessage }>();
/** The text of the person, for messages that were made here. */
const said = new WeakMap<HumanMessage, string>();

/** Adds the text. The same message and text give the same object, so that what was sent is known. */
export function noticedMessage(message: HumanMessage, text: string): HumanMessage {
  const before = made.get(message);
  if (before?.text === text) return before.message;
  const { content, additional_kwargs } = message;
  const original = said.get(message) ?? textOf(content);
  const longer = {
    ...message,
    content: contentWith(content, text),
    additional_kwargs: { ...additional_kwargs, original_user_content: original },
  };
  made.set(message, { text, message: longer });
  said.set(longer, original);
  return longer;
}

function contentWith(content: MessageContent, text: string): MessageContent {
  if (typeof content === 'string') return `${content.trim() === '' ? WORDLESS : content}\n\n${text}`;
  return [...content, { type: 'text', text }];
}

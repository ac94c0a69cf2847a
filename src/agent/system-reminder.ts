// Notices that the service adds to a prompt, between marks that no person, file or tool can forge. They are not messages of the thread.
import { withoutForgedMarks } from '../messages/forged-marks.ts';
import { type HumanMessage, humanMessage, type Message } from '../messages/message.ts';

/** To be put behind the message; `kind` tells it from other reminders there. */
export function systemReminder(after: Message, kind: string, text: string): HumanMessage {
  const content = `<system-reminder>\n${withoutForgedMarks(text)}\n</system-reminder>`;
  return humanMessage(`${after.id}:${kind}`, content, { additional_kwargs: { hide_from_ui: true } });
}

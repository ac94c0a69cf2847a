// What the model reads of the skills that the person activated: a notice behind their words, in its prompt alone. Pure.
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import type { Message } from '../../messages/message.ts';
import { noticedMessage } from '../noticed-message.ts';
import { type Activation, commandIn } from './activations.ts';

/** The SKILL.md of each skill that is enabled, by the virtual path of the file. */
export type SkillTexts = ReadonlyMap<string, string>;

/** A text is given with the first message that is shown and activates its skill; later ones point at that. */
export function withSkillNotices(
  messages: readonly Message[],
  activations: readonly Activation[],
  texts: SkillTexts,
): readonly Message[] {
  const byMessage = new Map(activations.map((it) => [it.message_id, it]));
  const given = new Set<string>();
  return messages.map((message) => {
    if (message.type !== 'human') return message;
    const activation = byMessage.get(message.id);
    if (activation === undefined || commandIn(message) !== activation.name) return message;
    const { name, path } = activation;
    const text = texts.get(path);
    if (text === undefined) return noticedMessage(message, notice(gone(name)));
    const words = given.has(path) ? again(name, path) : `${whole(name, path)}\n\n${text}`;
    given.add(path);
    return noticedMessage(message, notice(words));
  });
}

function notice(words: string): string {
  return `<active_skill>\n${withoutForgedMarks(words)}\n</active_skill>`;
}

function whole(name: string, path: string): string {
  return `The person activated the skill ${name}: do as its ${path} says, which is this:`;
}

function again(name: string, path: string): string {
  return `The person activated the skill ${name} again: do as its ${path} says, which stands above.`;
}

function gone(name: string): string {
  return `The person activated the skill ${name} here. It is not enabled any more.`;
}

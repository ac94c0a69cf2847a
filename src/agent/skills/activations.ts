// Skills that the person activates by the beginning of a message: the field `activated_skills` of the state, and what the
// model reads of them behind those words. Pure.
import { z } from 'zod';
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import { type HumanMessage, type JsonObject, type Message, textOf } from '../../messages/message.ts';
import { noticedMessage } from '../notices.ts';

const activationSchema = z.object({
  name: z.string(),
  /** The virtual path of its SKILL.md. */
  path: z.string(),
  /** The message of the person that activated it. */
  message_id: z.string(),
});

type Activation = z.output<typeof activationSchema>;

const FIELD = 'activated_skills';
/** A state is no list of skills: older ones are text again. */
const MAX_KEPT = 50;
const NONE: readonly Activation[] = [];
/** A name has 64 characters at most. */
const LONGEST_COMMAND = 66;
const COMMAND = /^\/([a-z0-9-]+)(?:\s|$)/;

const parsed = new WeakMap<object, readonly Activation[]>();

/** Oldest first; what clients wrote of their own is left out. */
export function activationsIn(values: JsonObject): readonly Activation[] {
  const field = values[FIELD];
  if (!Array.isArray(field)) return NONE;
  const known = parsed.get(field);
  if (known !== undefined) return known;
  const activations = field.slice(-MAX_KEPT).flatMap((entry) => activationSchema.safeParse(entry).data ?? []);
  parsed.set(field, activations);
  return activations;
}

/** The field with one more, which takes the place of an earlier one by the same message. */
export function withActivation(values: JsonObject, { name, path, message_id }: Activation): JsonObject {
  const others = activationsIn(values).filter((it) => it.message_id !== message_id);
  return { [FIELD]: [...others, { name, path, message_id }].slice(-MAX_KEPT) };
}

/** `report` of a message that begins with `/report` and a space, or is nothing else. */
export function commandIn({ content }: HumanMessage): string | undefined {
  return COMMAND.exec(textOf(content).slice(0, LONGEST_COMMAND))?.[1];
}

/** The SKILL.md of each skill that is enabled, by the virtual path of the file. */
type SkillTexts = ReadonlyMap<string, string>;

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

// Skills that the person activates with the first word of a message: the field `activated_skills` of the
// state, and what the model reads of them after that message. Pure.
import { z } from 'zod';
import { withoutForgedMarks } from '../../messages/forged-marks.ts';
import {
  type HumanMessage,
  type Json,
  type JsonObject,
  type Message,
  textOf,
} from '../../messages/message.ts';
import { oncePerObject } from '../../messages/once-per-object.ts';
import { noticedMessage } from '../notices.ts';

const activationSchema = z.object({
  name: z.string(),
  /** The virtual path of its SKILL.md. */
  path: z.string(),
  /** The message with which the person activated it. */
  message_id: z.string(),
});

type Activation = z.output<typeof activationSchema>;

const FIELD = 'activated_skills';
/** The state is not a list of skills: the commands of older activations are plain text again. */
const MAX_KEPT = 50;
const NONE: readonly Activation[] = [];
/** A name has at most 64 characters. */
const LONGEST_COMMAND = 66;
const COMMAND = /^\/([a-z0-9-]+)(?:\s|$)/;

/** Returns the activations, oldest first. Entries of another form, which clients can write, are left out. */
export function activationsIn(values: JsonObject): readonly Activation[] {
  const field = values[FIELD];
  return Array.isArray(field) ? activationsOf(field) : NONE;
}

const activationsOf = oncePerObject((field: readonly Json[]): readonly Activation[] =>
  field.slice(-MAX_KEPT).flatMap((entry) => activationSchema.safeParse(entry).data ?? []),
);

/** Returns the field with one more activation, which replaces an earlier one by the same message. */
export function withActivation(values: JsonObject, { name, path, message_id }: Activation): JsonObject {
  const others = activationsIn(values).filter((it) => it.message_id !== message_id);
  return { [FIELD]: [...others, { name, path, message_id }].slice(-MAX_KEPT) };
}

/** Returns `report` for a message that begins with `/report` and a space, or is nothing else. */
export function commandIn({ content }: HumanMessage): string | undefined {
  return COMMAND.exec(textOf(content).slice(0, LONGEST_COMMAND))?.[1];
}

/** The SKILL.md of each enabled skill, by its virtual path. */
type SkillTexts = ReadonlyMap<string, string>;

/** Adds a text to the first shown message that activates its skill. Later messages refer to it. */
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
    if (text === undefined) {
      const gone = `The person activated the skill ${name} here. It is not enabled any more.`;
      return noticedMessage(message, notice(gone));
    }
    const words = given.has(path)
      ? `The person activated the skill ${name} again: do as its ${path} says, which stands above.`
      : `The person activated the skill ${name}: do as its ${path} says, which is this:\n\n${text}`;
    given.add(path);
    return noticedMessage(message, notice(words));
  });
}

function notice(words: string): string {
  return `<active_skill>\n${withoutForgedMarks(words)}\n</active_skill>`;
}

// The field `activated_skills` of the state: which messages of the person began with the name of a skill. Pure.
import { z } from 'zod';
import { type HumanMessage, type JsonObject, textOf } from '../../messages/message.ts';

const activationSchema = z.object({
  name: z.string(),
  /** The virtual path of its SKILL.md. */
  path: z.string(),
  /** The message of the person that activated it. */
  message_id: z.string(),
});

export type Activation = z.output<typeof activationSchema>;

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

// The fields of the state that clients may write, by a state update or by `command.update`.
import { z } from 'zod';
import type { StateDelta } from '../messages/thread-state.ts';
import { toInputMessages } from './input-messages.ts';
import { jsonObject } from './request-fields.ts';

const MAX_MESSAGES = 200;
const messages = z
  .union([z.array(jsonObject), jsonObject])
  .refine((given) => !Array.isArray(given) || given.length <= MAX_MESSAGES, {
    error: `At most ${MAX_MESSAGES} messages at once`,
  });

/** Anything else is a mistake of the caller: 422 (decisions, section 3). */
export const stateFieldsSchema = z.strictObject({
  messages: messages.nullish(),
  title: z.string().min(1).max(200).nullish(),
  artifacts: z.array(z.string()).nullish(),
  todos: z.array(jsonObject).nullish(),
  thread_data: jsonObject.nullish(),
  sandbox: jsonObject.nullish(),
  uploaded_files: z.array(jsonObject).nullish(),
  viewed_images: jsonObject.nullish(),
});

/** Messages go through the reducer, other fields replace. Throws `validation_failed` for messages that are none. */
export function toStateDelta(fields: z.output<typeof stateFieldsSchema>, newId: () => string): StateDelta {
  const { messages, ...values } = fields;
  const given = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  return {
    messages: toInputMessages(messages ?? [], newId),
    values: jsonObject.parse(Object.fromEntries(given)),
  };
}

// The fields of the state that clients may write, in a state update or in `command.update`.
import { z } from 'zod';
import { contentObject, jsonValue, metadataObject, stateObject } from '../../messages/bounded-json.ts';
import type { StateDelta } from '../../messages/thread-state.ts';
import { toInputMessages } from './input-messages.ts';

const MAX_LISTED = 10_000;
const MAX_MESSAGES = 200;
const text = z.string().max(4_194_304);
/** An object, a text, or a pair of role and content. */
const message = z.union([stateObject, text, z.tuple([z.string().max(64), jsonValue])]);
const messages = z
  .union([z.array(message).meta({ maxItems: MAX_MESSAGES }), stateObject, text])
  .refine((given) => !Array.isArray(given) || given.length <= MAX_MESSAGES, {
    error: `At most ${MAX_MESSAGES} messages at once`,
  });

/** The most fields to check: each unknown one is a mistake that is reported. */
const MAX_FIELDS = 64;

/** Any other field is a mistake of the caller: 422 (docs/contract/state.md#updating). */
const knownFields = z.strictObject({
  messages: messages.nullish(),
  /** May be empty, as in a state without one: the title then stays. */
  title: z.string().max(200).nullish(),
  artifacts: z.array(z.string().max(4_096)).max(MAX_LISTED).nullish(),
  todos: z.array(contentObject).max(MAX_LISTED).nullish(),
  thread_data: stateObject.nullish(),
  sandbox: stateObject.nullish(),
  uploaded_files: z.array(metadataObject).max(MAX_LISTED).nullish(),
  viewed_images: stateObject.nullish(),
  /** The service's own, like the next three: shown to clients, and ignored when they send it back. */
  summary: stateObject.nullish(),
  plan_reminder: stateObject.nullish(),
  loop_warnings: z.array(metadataObject).max(MAX_LISTED).nullish(),
  /** `PUT /api/threads/{thread_id}/goal` sets it. */
  goal: stateObject.nullish(),
});

/** Counts first, because ninety thousand unknown fields would be checked without a pause. */
export const stateFieldsSchema = z.preprocess((fields, context) => {
  const count = typeof fields === 'object' && fields !== null ? Object.keys(fields).length : 0;
  if (count <= MAX_FIELDS) return fields;
  context.addIssue({ code: 'custom', message: `Has ${count} keys; at most ${MAX_FIELDS} are allowed` });
  return z.NEVER;
}, knownFields);

/** Messages go through the reducer, other fields replace. Throws `validation_failed` for invalid messages. */
export function toStateDelta(fields: z.output<typeof stateFieldsSchema>, newId: () => string): StateDelta {
  const { messages, summary: _, plan_reminder: __, loop_warnings: ___, goal: ____, ...values } = fields;
  const given = Object.entries(values).flatMap(([key, value]) =>
    value == null || (key === 'title' && value === '') ? [] : [[key, value] as const],
  );
  return {
    messages: toInputMessages(messages ?? [], newId),
    values: Object.fromEntries(given),
  };
}

// Converts messages from clients to the stored shape.
import { z } from 'zod';
import { type ServiceError, validationFailed } from '../../errors.ts';
import { contentObject } from '../../messages/bounded-json.ts';
import {
  aiMessage,
  type ContentBlock,
  humanMessage,
  type Message,
  type RemoveMessage,
  type ToolCall,
  toolMessage,
} from '../../messages/message.ts';

/** `null` counts as absent (docs/contract/conventions.md#requests). */
export const absentWhenNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional());

/** The id of an agent, a run, a checkpoint or a message. */
export const identifier = z.string().min(1).max(128);

const MAX_TEXT = 4_194_304;
const MAX_BLOCKS = 1_000;
const MAX_TOOL_CALLS = 128;
const MAX_KEYS = 64;

/** Includes blocks of unknown providers: the fields of a block besides its type are not checked. */
const contentBlock = z.custom<ContentBlock>(isContentBlock, 'a content block is an object with a type').meta({
  type: 'object',
  properties: { type: { type: 'string', maxLength: MAX_KEYS } },
  required: ['type'],
  additionalProperties: true,
  maxProperties: MAX_KEYS,
});

const author = z.string().max(64);
const name = z.string().max(256);
/** Some providers encode in the ids of calls what they need to get back. */
const callId = z.string().max(4_096);
const toolCall = z.object({ id: callId, name, args: contentObject });

const messageSchema = z.object({
  type: absentWhenNull(author.meta({ examples: ['human'] })),
  role: absentWhenNull(author.meta({ examples: ['user'] })),
  content: absentWhenNull(z.union([z.string().max(MAX_TEXT), z.array(contentBlock).max(MAX_BLOCKS)])),
  id: absentWhenNull(identifier),
  name: absentWhenNull(name),
  additional_kwargs: absentWhenNull(contentObject),
  tool_call_id: absentWhenNull(callId),
  tool_calls: absentWhenNull(
    z.array(toolCall).max(MAX_TOOL_CALLS, `At most ${MAX_TOOL_CALLS} tool calls in one message`),
  ),
});

/** A message in any notation that clients use. */
const inputMessageSchema = z.preprocess(plainMessage, messageSchema);

/** Returns the schema of an input's messages: a list, or a single message. */
export function inputMessageList(maxMessages: number) {
  return z
    .preprocess(listed, z.array(inputMessageSchema).max(maxMessages))
    .describe('A text, a pair [role, content] or a single message is also accepted.');
}

function listed(messages: unknown): unknown {
  return messages === undefined || Array.isArray(messages) ? messages : [messages];
}

/** How libraries serialize their message classes: the name of the class comes last in `id`. */
const dumpedMessage = z.object({
  lc: z.literal(1),
  type: z.literal('constructor'),
  id: z.array(z.string()),
  kwargs: z.record(z.string(), z.unknown()),
});
const MESSAGE_CLASS = /^(Human|AI|System|Tool|Remove)Message(?:Chunk)?$/;

/** Converts other notations. A text is what the person says, a pair is `[role, content]`. */
function plainMessage(value: unknown): unknown {
  if (typeof value === 'string') return { role: 'user', content: value };
  if (Array.isArray(value)) return value.length === 2 ? { role: value[0], content: value[1] } : value;
  // Most messages are not serialized classes, and a failed parse is expensive.
  if (typeof value !== 'object' || value === null || !('lc' in value)) return value;
  const dump = dumpedMessage.safeParse(value);
  if (!dump.success) return value;
  const [, name] = MESSAGE_CLASS.exec(dump.data.id.at(-1) ?? '') ?? [];
  return name === undefined ? value : { ...dump.data.kwargs, type: name.toLowerCase() };
}

function isContentBlock(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const isTyped = 'type' in value && typeof value.type === 'string' && value.type.length <= MAX_KEYS;
  return isTyped && Object.keys(value).length <= MAX_KEYS;
}

const removeMessage = z.object({ type: z.literal('remove'), id: identifier });

/** Parses the messages of a state update: one or a list, removals included. Throws `validation_failed`. */
export function toInputMessages(
  messages: unknown,
  newId: () => string,
): readonly (Message | RemoveMessage)[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.map(plainMessage).map((message, index) => {
    const removal = removeMessage.safeParse(message);
    if (removal.success) return removal.data;
    const parsed = messageSchema.safeParse(message);
    if (!parsed.success) throw badMessage(index, parsed.error.issues[0]?.message ?? 'not a message');
    return toInputMessage(parsed.data, index, newId);
  });
}

type InputMessage = z.output<typeof messageSchema>;

const TYPE_OF_ROLE = new Map<string, Message['type']>([
  ['user', 'human'],
  ['human', 'human'],
  ['humanmessagechunk', 'human'],
  ['assistant', 'ai'],
  ['ai', 'ai'],
  ['aimessagechunk', 'ai'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
]);

export function toInputMessage(message: InputMessage, index: number, newId: () => string): Message {
  const type = TYPE_OF_ROLE.get((message.type ?? message.role ?? '').toLowerCase());
  if (type === undefined) throw badMessage(index, 'role must be one of user, assistant, system, tool');
  if (message.content === undefined) throw badMessage(index, 'content is missing');
  const id = message.id ?? newId();
  const fields = { name: message.name ?? null, additional_kwargs: message.additional_kwargs ?? {} };
  switch (type) {
    case 'human':
      return humanMessage(id, message.content, fields);
    case 'system':
      return { ...humanMessage(id, message.content, fields), type: 'system' };
    case 'ai':
      return aiMessage(id, message.content, { ...fields, tool_calls: toToolCalls(message) });
    case 'tool': {
      if (message.tool_call_id === undefined) throw badMessage(index, 'tool_call_id is missing');
      const call = { id: message.tool_call_id, name: message.name ?? 'tool' };
      return toolMessage(id, call, { content: message.content });
    }
  }
}

function toToolCalls(message: InputMessage): readonly ToolCall[] {
  return (message.tool_calls ?? []).map(({ id, name, args }) => ({ type: 'tool_call', id, name, args }));
}

function badMessage(index: number, msg: string): ServiceError {
  return validationFailed(['body', 'input', 'messages', index], msg);
}

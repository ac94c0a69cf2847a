// Messages as clients send them, turned into the stored shape.
import { z } from 'zod';
import { type ServiceError, validationFailed } from '../errors.ts';
import {
  type AiMessage,
  aiMessage,
  type ContentBlock,
  type HumanMessage,
  humanMessage,
  type Message,
  type RemoveMessage,
  type SystemMessage,
  type ToolCall,
  toolMessage,
} from '../messages/message.ts';
import { absentWhenNull, jsonObject } from './request-fields.ts';

const contentBlock = z.custom<ContentBlock>(
  (value) => z.looseObject({ type: z.string() }).safeParse(value).success,
  'a content block is an object with a type',
);

const MAX_TOOL_CALLS = 128;
const toolCall = z.looseObject({ id: z.string(), name: z.string(), args: jsonObject });

export const inputMessageSchema = z.looseObject({
  type: absentWhenNull(z.string()),
  role: absentWhenNull(z.string()),
  content: absentWhenNull(z.union([z.string(), z.array(contentBlock)])),
  id: absentWhenNull(z.string().min(1).max(128)),
  name: absentWhenNull(z.string()),
  additional_kwargs: absentWhenNull(jsonObject),
  tool_call_id: absentWhenNull(z.string()),
  tool_calls: absentWhenNull(
    z.array(toolCall).max(MAX_TOOL_CALLS, `At most ${MAX_TOOL_CALLS} tool calls in one message`),
  ),
});

const removeMessage = z.object({ type: z.literal('remove'), id: z.string().min(1).max(128) });

/** Messages of a state update: one or a list, removals included. Throws `validation_failed`. */
export function toInputMessages(
  messages: unknown,
  newId: () => string,
): readonly (Message | RemoveMessage)[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.map((message, index) => {
    const removal = removeMessage.safeParse(message);
    if (removal.success) return removal.data;
    const parsed = inputMessageSchema.safeParse(message);
    if (!parsed.success) throw badMessage(index, parsed.error.issues[0]?.message ?? 'not a message');
    return toInputMessage(parsed.data, index, newId);
  });
}

type InputMessage = z.output<typeof inputMessageSchema>;

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
      return humanMessage(id, message.content, fields) satisfies HumanMessage;
    case 'system':
      return { ...humanMessage(id, message.content, fields), type: 'system' } satisfies SystemMessage;
    case 'ai':
      return aiMessage(id, message.content, {
        ...fields,
        tool_calls: toToolCalls(message),
      }) satisfies AiMessage;
    case 'tool': {
      if (message.tool_call_id === undefined) throw badMessage(index, 'tool_call_id is missing');
      const call = { id: message.tool_call_id, name: message.name ?? 'tool' };
      return toolMessage(id, call, { content: message.content });
    }
    default:
      return type satisfies never;
  }
}

function toToolCalls(message: InputMessage): readonly ToolCall[] {
  return (message.tool_calls ?? []).map(({ id, name, args }) => ({ type: 'tool_call', id, name, args }));
}

function badMessage(index: number, msg: string): ServiceError {
  return validationFailed(['body', 'input', 'messages', index], msg);
}

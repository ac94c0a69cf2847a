// What must hold of every prompt of a long task, whatever went wrong before it.
import { z } from 'zod';
import type { ModelRequest } from '../support/scripted-subagents.ts';

const promptSchema = z.array(
  z.object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.unknown(),
    tool_calls: z.array(z.object({ id: z.string() })).optional(),
    tool_call_id: z.string().optional(),
  }),
);

type PromptMessage = z.output<typeof promptSchema>[number];

/** Tokens of messages and tools, by the rule of four bytes that the service reckons with. */
export function promptSize({ body }: Pick<ModelRequest, 'body'>): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify([body.messages, body.tools ?? []])) / 4);
}

/** A sentence for each rule that the prompt breaks. `words`: the newest ones of the person. */
export function promptProblems(
  { body }: Pick<ModelRequest, 'body'>,
  { window, words }: { readonly window: number; readonly words: string },
): readonly string[] {
  const messages = promptSchema.parse(body.messages);
  const size = promptSize({ body });
  return [
    ...(messages[0]?.role === 'system' ? [] : ['It does not begin with the instructions.']),
    ...(messages.at(-1)?.role === 'assistant' ? ['It ends with an answer.'] : []),
    ...(size <= window ? [] : [`It has ${size} tokens, and the window ${window}.`]),
    ...(JSON.stringify(messages).includes(JSON.stringify(words).slice(1, -1))
      ? []
      : ['It does not say what the person said last.']),
    ...messages.flatMap((message, index) => messageProblems(message, messages.slice(index + 1))),
    ...strayResults(messages),
  ];
}

/** Some providers refuse a message without words, and a call whose result is not the next message. */
function messageProblems(message: PromptMessage, after: readonly PromptMessage[]): readonly string[] {
  const calls = message.tool_calls ?? [];
  const isEmpty = message.content === '' || message.content === null || message.content === undefined;
  const results = after.slice(0, calls.length).map((it) => it.tool_call_id);
  return [
    ...(isEmpty && calls.length === 0 ? [`A message of the role ${message.role} is empty.`] : []),
    ...(calls.every(({ id }) => results.includes(id)) ? [] : ['A call is not followed by its result.']),
  ];
}

function strayResults(messages: readonly PromptMessage[]): readonly string[] {
  const called = new Set<string>();
  return messages.flatMap(({ tool_calls: calls = [], tool_call_id: id, role }) => {
    for (const call of calls) called.add(call.id);
    return role === 'tool' && !called.has(id ?? '') ? ['A result stands before its call, or has none.'] : [];
  });
}

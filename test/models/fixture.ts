// Fixtures for the table of quirks: the input, and the recorded request or reply.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { aiMessage, humanMessage, type Message, toolMessage } from '../../src/messages/message.ts';
import { outcomeOf, testModel } from './call.ts';

const call = z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.json()) });
const content = z.union([z.string(), z.array(z.object({ type: z.string() }).catchall(z.json()))]);

const said = z.union([
  z.strictObject({ human: content }),
  z.strictObject({
    ai: z.string(),
    calls: z.array(call).default([]),
    /** `additional_kwargs`. */
    fields: z.record(z.string(), z.json()).default({}),
  }),
  /** The result of the newest call with this id. */
  z.strictObject({ tool: content, of: z.string() }),
  z.strictObject({ system: z.string() }),
]);

const caseSchema = z.strictObject({
  /** Keys of a `models:` entry. */
  model: z.looseObject({ provider: z.string() }),
  system: z.string().default(''),
  thinking: z.boolean().default(false),
  messages: z.array(said).default([{ human: 'hi' }]),
  /** The body of the request. */
  body: z.json().optional(),
  /** The events of the reply, and its end. */
  events: z.array(z.json()).optional(),
  finish: z.json().optional(),
});

export type FixtureCase = z.output<typeof caseSchema>;

/** Throws when there is no such file. */
export function fixtureOf(name: string): readonly FixtureCase[] {
  const path = fileURLToPath(import.meta.resolve(`./fixtures/${name}.json`));
  return z
    .array(caseSchema)
    .min(1)
    .parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Returns the current request or reply of the service, in the fields that the fixture has. */
export async function outcomeOfCase(fixture: FixtureCase): Promise<Pick<FixtureCase, 'body' | 'finish'>> {
  const { system, thinking, events } = fixture;
  const bodies: unknown[] = [];
  const fetch: typeof globalThis.fetch = async (_address, init) => {
    bodies.push(JSON.parse(String(init?.body)));
    if (events === undefined) return new Response('enough', { status: 400 });
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  };
  const model = testModel({ base_url: 'http://model.test', ...fixture.model }, { fetch });
  const outcome = await outcomeOf(model, { system, thinking, messages: messagesOf(fixture.messages) });
  // Passed through JSON, like the recording.
  const { body, finish }: Partial<FixtureCase> = JSON.parse(
    JSON.stringify({ body: bodies[0], finish: outcome.finish ?? String(outcome.error) }),
  );
  return {
    ...(fixture.body === undefined ? {} : { body }),
    ...(fixture.finish === undefined ? {} : { finish }),
  };
}

function messagesOf(told: FixtureCase['messages']): Message[] {
  const messages: Message[] = [];
  told.forEach((it, index) => {
    const id = `m${index}`;
    if ('human' in it) messages.push(humanMessage(id, it.human));
    else if ('system' in it) messages.push({ ...humanMessage(id, it.system), type: 'system' });
    else if ('ai' in it) {
      const calls = it.calls.map((one) => ({ type: 'tool_call' as const, ...one }));
      messages.push(aiMessage(id, it.ai, { tool_calls: calls, additional_kwargs: it.fields }));
    } else {
      const calls = messages.flatMap((message) => (message.type === 'ai' ? message.tool_calls : []));
      const found = calls.findLast((one) => one.id === it.of);
      const of = found ?? { type: 'tool_call' as const, id: it.of, name: 'read_file', args: {} };
      messages.push(toolMessage(id, of, { content: it.tool }));
    }
  });
  return messages;
}

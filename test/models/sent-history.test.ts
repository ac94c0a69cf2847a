// Prompts of long threads that reuse what was sent before: the requests equal those of a model that reuses
// nothing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createBreath } from '../../src/breath.ts';
import { aiMessage, humanMessage, type Message, toolMessage } from '../../src/messages/message.ts';
import { createRequestEncoder } from '../../src/models/chat-completions/encode-request.ts';
import { profileOf } from '../../src/models/chat-completions/provider-profile.ts';
import { modelOptionsSchema } from '../../src/models/model-options.ts';
import { quirksOf } from '../../src/models/quirks/quirks.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { outcomeOf, testModel } from './call.ts';

const ANSWER = ['{"delta":{"content":"ok"}}', '{"delta":{},"finish_reason":"stop"}']
  .map((choice) => `data: {"choices":[{"index":0,${choice.slice(1)}]}\n\n`)
  .join('');

type Provider = 'openai' | 'openai-compatible';

/** Returns a model and its requests; the first `failures` requests fail. */
function recorded(provider: Provider | 'deepseek', failures = 0) {
  const bodies: string[] = [];
  const fetch: typeof globalThis.fetch = async (_address, init) => {
    bodies.push(String(init?.body));
    return bodies.length <= failures
      ? new Response('{}', { status: 503 })
      : new Response(ANSWER, { headers: { 'content-type': 'text/event-stream' } });
  };
  const model = testModel(
    {
      provider,
      model: provider === 'deepseek' ? 'deepseek-v4-flash' : 'test-model',
      base_url: 'http://model.test',
      supports_vision: true,
    },
    { fetch },
  );
  return { model, bodies };
}

function entryOf(provider: Provider) {
  const fields = { name: 'm', provider, model: 'test-model', base_url: 'http://model.test' };
  return { ...modelOptionsSchema.parse({ ...fields, supports_vision: true }), provider };
}

/**
 * Returns the messages of a request without reuse, for a profile whose prompts depend on their last messages.
 */
async function madeAnew(provider: Provider, messages: readonly Message[]): Promise<unknown> {
  const entry = entryOf(provider);
  const profile = { ...profileOf(entry), reasoningBack: 'of-this-turn' } as const;
  const encode = createRequestEncoder({ entry, profile, quirks: quirksOf(provider) });
  const request = { system: 'Be brief.', messages, tools: [], thinking: false };
  return messagesOf(String(Buffer.concat(await encode(request, createBreath()))));
}

function messagesOf(body: string | undefined): unknown {
  return JSON.parse(body ?? '{}').messages;
}

const PNG = 'data:image/png;base64,iVBORw0KGgo=';

function calls(id: string) {
  return [`${id}-1`, `${id}-2`].map(
    (it) => ({ type: 'tool_call', id: it, name: 'read_file', args: { path: `/ü/${it}` } }) as const,
  );
}

/** Changes of a thread. Each gets the messages before it and a new id. */
const HAPPENINGS: readonly ((messages: readonly Message[], id: string) => readonly Message[])[] = [
  (messages, id) => [...messages, humanMessage(id, `Frage ${id} "…" 🙂`)],
  (messages, id) => [...messages, aiMessage(id, `Antwort ${id}`)],
  (messages, id) => [...messages, aiMessage(id, '', { additional_kwargs: { reasoning_content: 'Hm.' } })],
  (messages, id) => [...messages, aiMessage(id, 'Let me see.', { tool_calls: calls(id) })],
  (messages, id) => [...messages, ...resultsOf(messages, id)],
  (messages, id) => [...messages, ...resultsOf(messages, id).slice(1)],
  (messages, id) => [...messages, { ...humanMessage(id, `Rule ${id}`), type: 'system' }],
  (messages, id) => [
    ...messages,
    { ...humanMessage(id, ''), content: [{ type: 'image_url', image_url: PNG }] },
  ],
  (messages, id) => [...messages, ...resultsOf(messages, id).map(withImage)],
  (messages) => messages.slice(0, -3),
  (messages) => messages.slice(3),
  (messages, id) => messages.with(Math.floor(messages.length / 2), humanMessage(id, 'edited')),
  (messages, id) => messages.with(messages.length - 1, aiMessage(id, 'regenerated')),
];

function resultsOf(messages: readonly Message[], id: string): readonly Message[] {
  const last = messages.findLast((message) => message.type === 'ai' && message.tool_calls.length > 0);
  const open = last?.type === 'ai' ? last.tool_calls : [];
  return open.map((call, index) => toolMessage(`${id}-${index}`, call, { content: `Zeile\n${id}` }));
}

function withImage(result: Message): Message {
  const text = { type: 'text', text: 'Successfully read image' } as const;
  return { ...result, content: [text, { type: 'image_url', image_url: { url: PNG } }] };
}

function longThread(): readonly Message[] {
  return Array.from({ length: 8 }, (_, index) => [
    humanMessage(`h${index}`, `Frage ${index}`),
    aiMessage(`a${index}`, `Antwort ${index}`),
  ]).flat();
}

describe('requests', () => {
  it.each<Provider>(['openai', 'openai-compatible'])(
    '[models.prompt.same-bytes] are the same with and without reuse, with %s',
    async (provider) => {
      const happenings = fc.array(fc.nat(HAPPENINGS.length - 1), { minLength: 1, maxLength: 25 });
      const anyThread = fc.asyncProperty(happenings, async (chosen) => {
        const { model, bodies } = recorded(provider);
        let messages = longThread();
        for (const [index, choice] of chosen.entries()) {
          messages = HAPPENINGS[choice]?.(messages, `m${index}`) ?? messages;
          await outcomeOf(model, { messages });
          expect(messagesOf(bodies[index])).toEqual(await madeAnew(provider, messages));
        }
      });
      await fc.assert(anyThread, { seed: 20_261_121, numRuns: 60 });
    },
  );

  it('[models.prompt.same-bytes] are the same for a long thread that was never sent before', async () => {
    const anyThread = fc.asyncProperty(
      fc.array(fc.nat(8), { minLength: 150, maxLength: 250 }),
      async (chosen) => {
        const { model, bodies } = recorded('openai-compatible');
        const thread = chosen.reduce<readonly Message[]>(
          (messages, choice, index) => HAPPENINGS[choice]?.(messages, `m${index}`) ?? messages,
          longThread(),
        );
        await outcomeOf(model, { messages: thread });
        expect(messagesOf(bodies[0])).toEqual(await madeAnew('openai-compatible', thread));
      },
    );
    await fc.assert(anyThread, { seed: 20_261_123, numRuns: 20 });
  });

  it('[models.prompt.same-bytes] are the same for two threads with a common beginning', async () => {
    const { model, bodies } = recorded('openai-compatible');
    const began = longThread();
    const one = [...began, humanMessage('x', 'here'), aiMessage('y', 'yes'), humanMessage('z', 'on')];
    const other = [...began, humanMessage('u', 'there'), aiMessage('v', 'no'), humanMessage('w', 'on')];
    const prompts = [began, one, other, one, other];
    for (const messages of prompts) await outcomeOf(model, { messages });
    for (const [index, messages] of prompts.entries())
      expect(messagesOf(bodies[index])).toEqual(await madeAnew('openai-compatible', messages));
  });

  it('[models.prompt.same-bytes] are the same when repeated', async () => {
    const { model, bodies } = recorded('openai-compatible', 2);
    const messages = [...longThread(), humanMessage('x', 'on')];
    await outcomeOf(model, { messages });
    const anew = await madeAnew('openai-compatible', messages);
    expect(bodies.map(messagesOf)).toEqual([anew, anew, anew]);
  });

  it('[models.prompt.same-bytes] arrive whole over a connection', async () => {
    const server = await startModelServer();
    const model = testModel({ base_url: server.url });
    const began = [...longThread(), humanMessage('x', 'ü'.repeat(100_000)), aiMessage('y', 'long')];
    for (const messages of [began, [...began, humanMessage('z', 'on'), aiMessage('a', 'and on')]]) {
      server.enqueue(answer.text('ok'));
      await outcomeOf(model, { messages });
      const anew = await madeAnew('openai-compatible', messages);
      expect(server.requests.at(-1)?.body.messages).toEqual(anew);
    }
    await server.close();
  });

  it('[models.prompt.same-bytes] are the same with DeepSeek, which requires reasoning in every reply', async () => {
    const reasoned = longThread().map((message) =>
      message.type === 'ai' ? { ...message, additional_kwargs: { reasoning_content: 'Hm.' } } : message,
    );
    const { model, bodies } = recorded('deepseek');
    const threads = [reasoned, [...reasoned, humanMessage('x', 'on'), aiMessage('y', 'yes')]];
    for (const messages of threads) await outcomeOf(model, { messages });
    const anew = recorded('deepseek');
    for (const messages of threads) await outcomeOf(anew.model, { messages: structuredClone(messages) });
    expect(bodies.map(messagesOf)).toEqual(anew.bodies.map(messagesOf));
    expect(bodies[1]).toContain('"content":"yes","reasoning_content":""');
  });
});

describe('calls of one model', () => {
  it('[models.prompt.shared] share the bytes of equal instructions and tools, and no others', async () => {
    const entry = entryOf('openai-compatible');
    const encode = createRequestEncoder({
      entry,
      profile: profileOf(entry),
      quirks: quirksOf(entry.provider),
    });
    const tool = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };
    const asked = { system: 'Be brief.', tools: [tool] };
    const requests = [
      asked,
      { ...asked, tools: [{ ...tool }] },
      { ...asked, system: 'Be long.' },
      { ...asked, tools: [{ ...tool, description: 'Sees.' }] },
      { ...asked, tools: [] },
      asked,
    ];
    const bodies = await Promise.all(
      requests.map((request, index) =>
        encode(
          { ...request, messages: [humanMessage(`q${index}`, `question ${index}`)], thinking: false },
          createBreath(),
        ),
      ),
    );
    for (const [index, { system, tools }] of requests.entries()) {
      const body = JSON.parse(String(Buffer.concat(bodies[index] ?? [])));
      expect(body.messages).toMatchObject([{ content: system }, { content: `question ${index}` }]);
      const told = (body.tools ?? []).map((it: { function: object }) => it.function);
      expect(told).toMatchObject(tools.map(({ name, description }) => ({ name, description })));
    }
    const held = bodies.map((pieces) => [pieces.at(0), pieces.at(-1)]);
    const same = (index: number) => held[index]?.map((piece, at) => piece === held[0]?.[at]);
    expect([1, 2, 3, 4, 5].map(same)).toEqual([
      [true, true],
      [false, true],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });
});

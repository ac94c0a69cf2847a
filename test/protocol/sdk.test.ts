// Agent Protocol v2 as the official SDK speaks it, over HTTP.
import type { Client, ThreadStream } from '@langchain/langgraph-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { eventsOf, isTerminal, type ProtocolEventJson, type SeenEvents } from './events-of.ts';
import { sdkClient } from './sdk-client.ts';

let service: ServedService;
let ann: HttpClient;
let client: Client;
const open: ThreadStream[] = [];
beforeAll(async () => {
  service = await openServedService();
  ann = await service.user('ann');
  client = sdkClient({ url: service.server.url, client: ann });
});
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close();
  service.model.reset();
});
afterAll(() => service.close());

const asking = (content: string) => ({ input: { messages: [{ role: 'user', content }] } });

function streamOf(threadId: string, options: object = {}): { thread: ThreadStream; seen: SeenEvents } {
  const thread = client.threads.stream(threadId, { assistantId: 'lead_agent', ...options });
  open.push(thread);
  return { thread, seen: eventsOf(thread) };
}

/** The model says two words and then waits. */
function halfAnAnswer(): { readonly goOn: () => void } {
  const gate = Promise.withResolvers<void>();
  const rest = [step.text('three'), step.finish(), step.usage({ prompt: 3, completion: 3 }), step.done()];
  service.model.enqueue(
    answer.script(step.text('one '), step.text('two '), step.until(gate.promise), ...rest),
  );
  return { goOn: gate.resolve };
}

const ofRun = (event: ProtocolEventJson) => event.event_id.replace('synth:', '').split(':')[0];

describe('a run', () => {
  it('[protocol.run] streams its reply as it is written and returns the final state', async () => {
    const { goOn } = halfAnAnswer();
    const { thread, seen } = streamOf(await newThread(ann));
    const { messages } = thread;
    const { run_id: runId } = await thread.run.start(asking('hi'));
    const pieces: string[] = [];
    for await (const message of messages) {
      for await (const piece of message.text) {
        pieces.push(piece);
        if (pieces.join('') === 'one two ') goOn();
      }
      expect(await message.usage).toMatchObject({ input_tokens: 3, output_tokens: 3 });
    }
    expect(pieces.join('')).toBe('one two three');
    expect(pieces.length).toBeGreaterThan(1);
    const output = (await thread.output) as { title: string; messages: { id: string; content: string }[] };
    expect(output.title).toBe('hi');
    expect(output.messages.map(({ content }) => content)).toEqual(['hi', 'one two three']);
    expect(new Set(seen.events.map(ofRun))).toEqual(new Set([runId]));
  });

  it('[protocol.first] is seen by a client that subscribed before there was a thread', async () => {
    service.model.enqueue(answer.text('hello'));
    const { thread, seen } = streamOf(crypto.randomUUID());
    const subscription = await thread.subscribe({ channels: ['lifecycle', 'messages'] });
    await thread.run.start(asking('hi'));
    const methods: string[] = [];
    for await (const event of subscription) {
      methods.push(event.method);
      if (isTerminal(event as unknown as ProtocolEventJson)) break;
    }
    expect([methods[0], methods.at(-1)]).toEqual(['lifecycle', 'lifecycle']);
    expect(methods).toContain('messages');
    expect(seen.events.length).toBeGreaterThan(0);
  });

  it('[protocol.lifecycle] is running once and has one end, named by the id of the run', async () => {
    service.model.enqueue(answer.text('hello'));
    const { thread, seen } = streamOf(await newThread(ann));
    const { run_id: runId } = await thread.run.start(asking('hi'));
    await seen.until(isTerminal);
    const lifecycle = seen.events.filter(({ method }) => method === 'lifecycle');
    expect(lifecycle.map(({ params }) => params.data)).toEqual([
      { event: 'running', graph_name: 'lead_agent' },
      { event: 'completed', graph_name: 'lead_agent' },
    ]);
    for (const { event_id: id } of lifecycle) expect(id.startsWith(`synth:${runId}:`)).toBe(true);
  });

  it('[protocol.thread.create] creates its thread if there is none', async () => {
    service.model.enqueue(answer.text('hello'));
    const threadId = crypto.randomUUID();
    const { thread } = streamOf(threadId);
    await thread.run.start(asking('hi'));
    await thread.output;
    const state = await jsonOf<StateJson>(ann.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages).toHaveLength(2);
  });

  it('[protocol.tools] shows each tool call with its input and its result, or its failure', async () => {
    const path = '/mnt/user-data/workspace/a.txt';
    service.model.enqueue(
      answer.toolCalls([
        { name: 'write_file', id: 'call_w', args: { path, content: 'x'.repeat(500) } },
        { name: 'read_file', id: 'call_r', args: { path: '/mnt/user-data/workspace/absent.txt' } },
      ]),
      answer.text('done'),
    );
    const { thread, seen } = streamOf(await newThread(ann));
    const { toolCalls, messages } = thread;
    await thread.run.start(asking('write'));
    // The SDK yields each call twice: when it begins and when it ends.
    const calls = (await all(toolCalls)).slice(0, 2);
    expect(calls.map(({ name, id, input }) => [name, id, input])).toEqual([
      ['write_file', 'call_w', { path, content: 'x'.repeat(500) }],
      ['read_file', 'call_r', { path: '/mnt/user-data/workspace/absent.txt' }],
    ]);
    await expect(calls[0]?.output).resolves.toBe('OK');
    await expect(calls[1]?.output).rejects.toThrow(/absent\.txt/);
    const [asked] = await all(messages);
    expect((await asked?.toolCalls)?.map(({ id }) => id)).toEqual(['call_w', 'call_r']);
    const progress = seen.events.filter(({ params }) => params.data.event === 'content-block-delta');
    // Arguments are told whole each time, but not at each piece.
    expect(progress.length).toBeLessThan(20);
  });

  it('[protocol.lifecycle] that fails says so once, in a sentence', async () => {
    service.model.onRequest(() => answer.unauthorized());
    const { thread, seen } = streamOf(await newThread(ann));
    await thread.run.start(asking('hi'));
    await seen.until(isTerminal);
    const terminals = seen.events.filter(isTerminal);
    expect(terminals.map(({ params }) => params.data)).toEqual([
      { event: 'failed', graph_name: 'lead_agent', error: expect.stringContaining('key') },
    ]);
  });

  it('[protocol.cancel] that is cancelled ends as interrupted and keeps its text', async () => {
    halfAnAnswer();
    const threadId = await newThread(ann);
    const { thread, seen } = streamOf(threadId);
    const { messages } = thread;
    const { run_id: runId = '' } = await thread.run.start(asking('hi'));
    await seen.until(({ params }) => params.data.event === 'content-block-delta');
    await client.runs.cancel(threadId, runId);
    await seen.until(isTerminal);
    expect(thread.interrupted).toBe(true);
    const [message] = await all(messages);
    expect(await message?.text).toBe('one two ');
    const { values } = await jsonOf<StateJson>(ann.get(`/api/graph/threads/${threadId}/state`));
    expect(values.messages.at(-1)?.content).toBe('one two ');
  });

  it('[protocol.run] follows on the same stream, and its events come after those of the first', async () => {
    service.model.enqueue(answer.text('first answer'), answer.text('second answer'));
    const { thread, seen } = streamOf(await newThread(ann));
    const first = await thread.run.start(asking('one'));
    await seen.until((event) => isTerminal(event) && ofRun(event) === first.run_id);
    const second = await thread.run.start(asking('two'));
    await seen.until((event) => isTerminal(event) && ofRun(event) === second.run_id);
    const seqs = seen.events.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    const state = (await thread.state.get({ namespace: [] })) as { values: StateJson['values'] };
    expect(state.values.messages.map(({ content }) => content)).toEqual([
      'one',
      'first answer',
      'two',
      'second answer',
    ]);
  });

  it('[protocol.run] that is queued behind another is shown after it', async () => {
    const { goOn } = halfAnAnswer();
    service.model.enqueue(answer.text('second'));
    const { thread, seen } = streamOf(await newThread(ann));
    const first = await thread.run.start(asking('one'));
    await seen.until(({ method }) => method === 'lifecycle');
    const second = await thread.run.start(asking('two'));
    goOn();
    await seen.until((event) => isTerminal(event) && ofRun(event) === second.run_id);
    const lifecycle = seen.events.filter(({ method }) => method === 'lifecycle');
    expect(lifecycle.map((event) => [ofRun(event), event.params.data.event])).toEqual([
      [first.run_id, 'running'],
      [first.run_id, 'completed'],
      [second.run_id, 'running'],
      [second.run_id, 'completed'],
    ]);
  });
});

describe('a lost connection', () => {
  it('[protocol.reconnect] in mid-run loses nothing and doubles nothing', async () => {
    const { goOn } = halfAnAnswer();
    const threadId = await newThread(ann);
    let connections = 0;
    const cut = Promise.withResolvers<void>();
    const options = {
      reconnectDelayMs: () => 0,
      fetch: async (input: string | URL | Request, init?: RequestInit) => {
        const isStream = String(input).endsWith('/stream/events');
        if (!isStream || ++connections > 1) return fetch(input, init);
        const broken = new AbortController();
        void cut.promise.then(() => broken.abort());
        return fetch(input, { ...init, signal: broken.signal });
      },
    };
    const { thread, seen } = streamOf(threadId, options);
    const { messages } = thread;
    await thread.run.start(asking('hi'));
    await seen.until(({ params }) => params.data.event === 'content-block-delta');
    cut.resolve();
    goOn();
    const [message] = await all(messages);
    expect(await message?.text).toBe('one two three');
    expect(connections).toBeGreaterThan(1);

    const { seen: again, thread: other } = streamOf(threadId);
    await other.subscribe(['values', 'messages', 'lifecycle', 'input']);
    await again.until(isTerminal);
    expect(seen.events).toEqual(again.events);
  });
});

describe('a command', () => {
  it('[protocol.commands] return the tree of agents', async () => {
    service.model.enqueue(answer.text('hello'));
    const { thread } = streamOf(await newThread(ann));
    await expect(thread.agent.getTree()).rejects.toMatchObject({ code: 'no_such_run' });
    await thread.run.start(asking('hi'));
    await thread.output;
    const { tree } = await thread.agent.getTree();
    expect(tree).toEqual({ namespace: [], status: 'completed', graph_name: 'lead_agent' });
  });

  it('[protocol.commands] that is unknown or makes no sense is refused with its code', async () => {
    const { thread } = streamOf(await newThread(ann));
    const namespace: string[] = [];
    const inject = thread.input.inject({ namespace, message: { role: 'user', content: 'x' } });
    await expect(inject).rejects.toMatchObject({ code: 'unknown_command' });
    await expect(
      thread.run.start({ input: { messages: [{ role: 'nobody', content: 'x' }] } }),
    ).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('input.messages.0'),
    });
    await expect(thread.state.get({ namespace: ['tools:1'] })).rejects.toMatchObject({
      code: 'no_such_namespace',
    });
    const respond = () => thread.input.respond({ namespace, interrupt_id: 'x', response: 'yes' });
    await expect(respond()).rejects.toMatchObject({ code: 'no_such_run' });
    service.model.enqueue(answer.text('hello'));
    await thread.run.start(asking('hi'));
    await thread.output;
    await expect(respond()).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

// Agent Protocol v2 as the official SDK speaks it, over a WebSocket.
import type { ThreadStream } from '@langchain/langgraph-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { newThread } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { connect, refusedConnect, type SocketClient } from '../websocket/socket-client.ts';
import { eventsOf, isTerminal, type ProtocolEventJson } from './events-of.ts';
import { sdkSocketClient } from './sdk-client.ts';

let service: ServedService;
let ann: HttpClient;
let client: ReturnType<typeof sdkSocketClient>;
const open: ThreadStream[] = [];
const sockets: SocketClient[] = [];
beforeAll(async () => {
  service = await openServedService();
  ann = await service.user('ann');
  client = sdkSocketClient({ url: service.server.url, client: ann });
});
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close();
  for (const { socket } of sockets.splice(0)) socket.terminate();
  service.model.reset();
});
afterAll(() => service.close());

const asking = (content: string) => ({ input: { messages: [{ role: 'user', content }] } });
const address = (threadId: string) => `${service.server.url}/api/graph/threads/${threadId}/stream/events`;

function streamOf(threadId: string): ThreadStream {
  const thread = client.stream(threadId);
  open.push(thread);
  return thread;
}

async function socketOf(threadId: string): Promise<SocketClient> {
  const made = await connect({ url: address(threadId), client: ann });
  sockets.push(made);
  return made;
}

const isDelta = ({ params }: ProtocolEventJson) => params.data.event === 'content-block-delta';

describe('the SDK', () => {
  it('[protocol.socket] starts a run and is shown it on one socket, on a thread that is made for it', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const thread = streamOf(crypto.randomUUID());
    const seen = eventsOf(thread);
    const { messages } = thread;
    await thread.run.start(asking('hi'));
    await seen.until(isDelta);
    goOn();
    const texts: string[] = [];
    for await (const message of messages) texts.push(await message.text);
    expect(texts).toEqual(['one two three']);
    const output = (await thread.output) as { messages: { content: string }[] };
    expect(output.messages.map(({ content }) => content)).toEqual(['hi', 'one two three']);
    expect(await thread.agent.getTree()).toMatchObject({ tree: { status: 'completed' } });
  });

  it('[protocol.socket] comes back after a lost connection without loss or doubles', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const threadId = await newThread(ann);
    const thread = streamOf(threadId);
    const seen = eventsOf(thread);
    const { messages } = thread;
    await thread.run.start(asking('hi'));
    await seen.until(isDelta);
    client.sockets.at(-1)?.terminate();
    goOn();
    const texts: string[] = [];
    for await (const message of messages) texts.push(await message.text);
    expect(texts).toEqual(['one two three']);
    await seen.until(isTerminal);
    const seqs = seen.events.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
  });

  it('[protocol.socket] runs again on the same socket', async () => {
    service.model.enqueue(answer.text('first'), answer.text('second'));
    const thread = streamOf(await newThread(ann));
    const seen = eventsOf(thread);
    for (const content of ['one', 'two']) {
      const { run_id: runId = '' } = await thread.run.start(asking(content));
      await seen.until((event) => isTerminal(event) && event.event_id.includes(runId));
    }
    expect(seen.events.filter(isTerminal)).toHaveLength(2);
  });
});

describe('a socket', () => {
  it('[protocol.socket] responds to a subscription before its events, and ends it on request', async () => {
    service.model.enqueue(answer.text('hello'), answer.text('again'));
    const threadId = await newThread(ann);
    const socket = await socketOf(threadId);
    socket.send({ id: 1, method: 'run.start', params: { assistant_id: 'lead_agent', ...asking('hi') } });
    await socket.until<{ id: number }>(({ id }) => id === 1);
    socket.send({ id: 2, method: 'subscription.subscribe', params: { channels: ['lifecycle'] } });
    await socket.until<ProtocolEventJson>((it) => it.type === 'event' && isTerminal(it));
    const kinds = socket.received.map((it) => (it as { type: string }).type);
    expect(kinds).toEqual(['success', 'success', 'event', 'event']);

    const [, subscribed] = socket.received as { result: { subscription_id: string } }[];
    const params = { subscription_id: subscribed?.result.subscription_id };
    socket.send({ id: 3, method: 'subscription.unsubscribe', params });
    socket.send({ id: 4, method: 'subscription.unsubscribe', params });
    expect(await socket.until<{ id: number }>(({ id }) => id === 4)).toMatchObject({
      type: 'error',
      error: 'no_such_subscription',
    });
    socket.send({ id: 5, method: 'run.start', params: asking('more') });
    socket.send({ id: 6, method: 'subscription.subscribe', params: { channels: ['values'] } });
    const isLast = (it: ProtocolEventJson) =>
      it.method === 'values' && JSON.stringify(it).includes('"again"');
    await socket.until<ProtocolEventJson>(isLast);
    const later = socket.received.slice(4) as ProtocolEventJson[];
    expect(later.filter(({ method }) => method === 'lifecycle')).toEqual([]);
  });

  it('[protocol.socket] shows a second subscription everything and the first nothing again', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const socket = await socketOf(await newThread(ann));
    socket.send({ id: 1, method: 'run.start', params: asking('hi') });
    socket.send({ id: 2, method: 'subscription.subscribe', params: { channels: ['lifecycle', 'values'] } });
    await socket.until<ProtocolEventJson>(({ method }) => method === 'values');
    socket.send({ id: 3, method: 'subscription.subscribe', params: { channels: ['messages'] } });
    await socket.until<ProtocolEventJson>(({ method }) => method === 'messages');
    goOn();
    await socket.until<ProtocolEventJson>((it) => it.type === 'event' && isTerminal(it));
    const events = socket.received.filter(
      (it) => (it as { type: string }).type === 'event',
    ) as ProtocolEventJson[];
    const ids = events.map(({ event_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(events.some(({ params }) => params.data.event === 'message-start')).toBe(true);
  });

  it('[protocol.socket] refuses what makes no sense and stays open', async () => {
    const socket = await socketOf(await newThread(ann));
    const refused: [unknown, string][] = [
      ['hello', 'invalid_argument'],
      [{ method: 'state.get' }, 'invalid_argument'],
      [{ id: 1, method: 'state.fork' }, 'unknown_command'],
      [{ id: 2, method: 'subscription.subscribe', params: { channels: [] } }, 'invalid_argument'],
      [{ id: 3, method: 'subscription.subscribe', params: { channels: ['debug'] } }, 'invalid_argument'],
      [{ id: 4, method: 'subscription.reconnect', params: { run_id: 'x' } }, 'not_supported'],
      [
        { id: 5, method: 'run.start', params: { assistant_id: 'nobody', ...asking('x') } },
        'invalid_argument',
      ],
    ];
    for (const [message] of refused) socket.send(message);
    await socket.until<{ id: number }>(({ id }) => id === 5);
    expect(socket.received.map((it) => (it as { error: string }).error)).toEqual(
      refused.map(([, code]) => code),
    );
  });

  it("[protocol.owner] shows nothing of another user's thread", async () => {
    const bob = await service.user('bob');
    service.model.enqueue(answer.text('secret'));
    const bobs = await newThread(bob);
    await bob.post(`/api/graph/threads/${bobs}/runs/wait`, { ...asking('hi') }).then((it) => it.text());
    const [foreign, absent] = [await socketOf(bobs), await socketOf('absent')];
    for (const socket of [foreign, absent]) {
      socket.send({ id: 1, method: 'state.get', params: { namespace: [] } });
      socket.send({ id: 2, method: 'agent.getTree', params: {} });
      socket.send({ id: 3, method: 'subscription.subscribe', params: { channels: ['values', 'lifecycle'] } });
      socket.send({ id: 4, method: 'unknown' });
      await socket.until<{ id: number }>(({ id }) => id === 4);
    }
    const words = ({ received }: SocketClient) =>
      JSON.stringify(received).replaceAll(/"(thread_id|subscription_id)":"[^"]*"/g, '');
    expect(words(foreign)).toBe(words(absent));
  });

  it('[websocket.origin] [websocket.session] is for signed-in users and pages of the service', async () => {
    const threadId = await newThread(ann);
    expect((await refusedConnect({ url: address(threadId) })).status).toBe(401);
    const evil = await refusedConnect({
      url: address(threadId),
      client: ann,
      origin: 'https://evil.example',
    });
    expect(evil.status).toBe(403);
  });
});

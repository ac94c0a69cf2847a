// The service is killed while a client of Agent Protocol v2 listens: it comes back and sees each event once.
import type { ThreadStream } from '@langchain/langgraph-sdk';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type FaultService, startFaultService } from '../faults/fault-service.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread } from '../support/service.ts';
import { eventsOf, isTerminal } from './events-of.ts';
import { sdkClient, sdkSocketClient } from './sdk-client.ts';

let service: FaultService;
const open: ThreadStream[] = [];
beforeAll(async () => {
  service = await startFaultService();
});
afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close();
  service.model.reset();
});
afterAll(() => service.remove());

const RECONNECT = { reconnectDelayMs: () => 50, maxReconnectAttempts: 400 };
const ALL = ['values', 'updates', 'messages', 'lifecycle', 'input', 'checkpoints', 'tasks'] as const;

function opened(transport: string, threadId: string): ThreadStream {
  const user = { url: service.process.url, client: service.client };
  const thread =
    transport === 'http'
      ? sdkClient(user).threads.stream(threadId, { assistantId: 'lead_agent', ...RECONNECT })
      : sdkSocketClient(user).stream(threadId, RECONNECT);
  open.push(thread);
  return thread;
}

it.each(['http', 'websocket'])(
  '[protocol.reconnect] over %s: a killed service',
  { timeout: 120_000 },
  async (transport) => {
    const threadId = await newThread(service.client);
    const thread = opened(transport, threadId);
    const seen = eventsOf(thread);
    service.model.enqueue(answer.hangMidStream('one two '), answer.text('one two three'));
    await thread.run.start({ input: { messages: [{ role: 'user', content: 'hi' }] } });
    await thread.subscribe([...ALL]);
    await seen.until(({ params }) => params.data.event === 'content-block-delta');
    await service.process.kill();
    await service.process.restart();
    await seen.until(isTerminal);

    const later = opened('http', threadId);
    const again = eventsOf(later);
    await later.subscribe([...ALL]);
    await again.until(isTerminal);
    // The SDK subscribes anew one by one, so that the end may come before what happened earlier.
    await seen.until(() => seen.events.length === again.events.length);
    expect(seen.events.toSorted((one, other) => one.seq - other.seq)).toEqual(again.events);

    const ids = seen.events.map(({ event_id: id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const lifecycle = seen.events.filter(({ method }) => method === 'lifecycle');
    expect(lifecycle.map(({ params }) => params.data.event)).toEqual(['running', 'completed']);
    const messages = seen.events
      .filter(({ method }) => method === 'messages')
      .map(({ params }) => params.data);
    expect(messages.filter(({ event }) => event === 'error')).toMatchObject([{ code: 'restarted' }]);
    const values = seen.events.findLast(({ method }) => method === 'values')?.params.data;
    expect(values).toMatchObject({ messages: [{ content: 'hi' }, { content: 'one two three' }] });
  },
);

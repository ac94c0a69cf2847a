// Sub-agents as Agent Protocol v2 tells them.
import { afterEach, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { delegated, lookAndAnswer, oneTask, openScripted } from '../support/scripted-subagents.ts';
import type { TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';
import { isTerminal, type ProtocolEventJson } from './events-of.ts';

let test: TestService;
afterEach(() => test.close());

async function eventsOf(subagent: Parameters<typeof openScripted>[1]): Promise<ProtocolEventJson[]> {
  test = await openScripted(oneTask(), subagent);
  const client = await test.user();
  const { threadId } = await delegated(client);
  const channels = ['values', 'messages', 'tools', 'lifecycle', 'updates', 'tasks', 'checkpoints'];
  const response = await client.post(`/api/graph/threads/${threadId}/stream/events`, { channels });
  const events: ProtocolEventJson[] = [];
  for await (const { data } of framesOf(response)) {
    events.push(data as ProtocolEventJson);
    if (isTerminal(data as ProtocolEventJson)) break;
  }
  return events;
}

const lifecycles = (events: readonly ProtocolEventJson[]) =>
  events
    .filter(({ method }) => method === 'lifecycle')
    .map(({ params }) => [params.namespace.join('|'), params.data.event]);

it('[subagents.protocol] shows a sub-agent in its namespace, from started to completed', async () => {
  const events = await eventsOf({ 'do c1': lookAndAnswer() });
  expect(lifecycles(events)).toEqual([
    ['', 'running'],
    ['tools:c1', 'started'],
    ['tools:c1', 'completed'],
    ['', 'completed'],
  ]);
  const inner = events.filter(({ params }) => params.namespace.join('|') === 'tools:c1');
  expect(inner[0]?.params.data).toMatchObject({
    event: 'started',
    cause: { type: 'toolCall', tool_call_id: 'c1' },
  });
  expect(new Set(inner.map(({ method }) => method))).toEqual(
    new Set(['lifecycle', 'checkpoints', 'values', 'tasks', 'messages', 'updates', 'tools']),
  );
  const texts = inner.flatMap(({ params: { data } }) => {
    const delta = data.delta as { type: string; text?: string } | undefined;
    return delta?.type === 'text-delta' ? [delta.text] : [];
  });
  expect(texts.join('')).toBe('LookingIt is empty');
  // All of it lies between the start and the end of the call that began it.
  const outer = events.map(({ method, params }) => (method === 'tools' ? params : undefined));
  const started = outer.findIndex((it) => it?.data.event === 'tool-started' && it.data.tool_call_id === 'c1');
  const finished = outer.findIndex(
    (it) => it?.data.event === 'tool-finished' && it.data.tool_call_id === 'c1',
  );
  expect(events.slice(started, finished)).toEqual(expect.arrayContaining(inner));
});

it('[subagents.protocol] reports that a sub-agent failed', async () => {
  const events = await eventsOf({ 'do c1': [answer.unauthorized()] });
  expect(lifecycles(events)).toEqual([
    ['', 'running'],
    ['tools:c1', 'started'],
    ['tools:c1', 'failed'],
    ['', 'completed'],
  ]);
});

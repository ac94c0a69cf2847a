// A run that waits for a person, as clients of Agent Protocol v2 see it, and their answers.
import type { Client, ThreadStream } from '@langchain/langgraph-sdk';
import { StreamController } from '@langchain/langgraph-sdk/stream';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread } from '../support/service.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import { eventsOf, isTerminal, type ProtocolEventJson } from './events-of.ts';
import { sdkClient } from './sdk-client.ts';

let service: ServedService;
let ann: HttpClient;
let client: Client;
const open: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  service = await openServedService({ config: { agent: { approvals: { write_file: 'always' } } } });
  ann = await service.user('ann');
  client = sdkClient({ url: service.server.url, client: ann });
});
afterEach(async () => {
  for (const it of open.splice(0)) await it.close();
  service.model.reset();
});
afterAll(() => service.close());

const ALL = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks'] as const;
const asking = (content: string) => ({ messages: [{ role: 'user', content }] });
const APPROVE = { decisions: [{ type: 'approve' }] };

/** The model wants to write, and says so when that is done. */
function aWriteAndAWord(): void {
  const args = { path: '/mnt/user-data/workspace/a.md', content: 'x' };
  service.model.enqueue(
    answer.toolCalls([{ name: 'write_file', id: 'call_w', args }]),
    answer.text('Written'),
  );
}

async function contentsOf(threadId: string): Promise<string[]> {
  const { values } = await jsonOf<StateJson>(ann.get(`/api/graph/threads/${threadId}/state`));
  return values.messages.map(({ type, content }) => `${type}: ${content}`);
}

function streamOf(threadId: string): ThreadStream {
  const thread = client.threads.stream(threadId, { assistantId: 'lead_agent' });
  open.push(thread);
  return thread;
}

it('[protocol.input] asks, waits as interrupted, and continues with the answer', async () => {
  aWriteAndAWord();
  const threadId = await newThread(ann);
  const thread = streamOf(threadId);
  const seen = eventsOf(thread);
  await thread.subscribe([...ALL]);
  await thread.run.start({ input: asking('note x') });
  await seen.until(isTerminal);
  const [interrupt] = thread.interrupts;
  expect(interrupt?.payload).toMatchObject({ action_requests: [{ name: 'write_file' }] });
  expect([thread.interrupted, seen.events.at(-1)?.params.data.event]).toEqual([true, 'interrupted']);
  const values = seen.events.filter(({ method }) => method === 'values');
  expect(values.every(({ params }) => !('__interrupt__' in params.data))).toBe(true);

  const before = seen.events.length;
  const interruptId = interrupt?.interruptId ?? '';
  await thread.input.respond({ namespace: [], interrupt_id: interruptId, response: APPROVE });
  await seen.until((event) => isTerminal(event) && event.params.data.event === 'completed');
  const after = seen.events.slice(before);
  const told = (method: string) =>
    after.filter((it) => it.method === method).map(({ params }) => params.data);
  expect(after[0]?.params.data).toMatchObject({ event: 'running' });
  expect(told('input.answered')).toEqual([{ interrupt_ids: [interruptId] }]);
  expect(told('tools')).toMatchObject([
    { event: 'tool-started', tool_call_id: 'call_w', tool_name: 'write_file', input: { content: 'x' } },
    { event: 'tool-finished', tool_call_id: 'call_w', output: { content: 'OK' } },
  ]);
  const starts = told('messages').filter(({ event }) => event === 'message-start');
  expect(starts).toHaveLength(1);
  expect(await contentsOf(threadId)).toEqual(['human: note x', 'ai: ', 'tool: OK', 'ai: Written']);

  // The same events, whoever comes when.
  const other = streamOf(threadId);
  const again = eventsOf(other);
  await other.subscribe([...ALL]);
  await again.until(isTerminal);
  expect(again.events).toEqual(after);
});

it('[protocol.input] accepts the input of a new run as the answer, and refuses answers without a question', async () => {
  aWriteAndAWord();
  const threadId = await newThread(ann);
  const thread = streamOf(threadId);
  const seen = eventsOf(thread);
  await thread.run.start({ input: asking('note x') });
  await seen.until(isTerminal);
  const wrong = thread.input.respond({ namespace: [], interrupt_id: 'another', response: APPROVE });
  await expect(wrong).rejects.toMatchObject({ code: 'no_such_interrupt' });
  await thread.run.start({ input: APPROVE });
  await seen.until((event) => isTerminal(event) && event.params.data.event === 'completed');
  expect(await contentsOf(threadId)).toContain('ai: Written');
  const late = thread.input.respond({ namespace: [], interrupt_id: 'another', response: APPROVE });
  await expect(late).rejects.toMatchObject({ code: 'invalid_argument' });
});

it('[protocol.hook] shows the question, also after a reload, and sends the answer', async () => {
  aWriteAndAWord();
  const threadId = await newThread(ann);
  const before = new StreamController({ client, assistantId: 'lead_agent', threadId });
  open.push({ close: () => before.dispose() });
  await before.submit(asking('note x'));
  const after = new StreamController({ client, assistantId: 'lead_agent', threadId });
  open.push({ close: () => after.dispose() });
  for (const { rootStore } of [before, after]) {
    await new Promise<void>((resolve) => {
      const look = (): void => void (rootStore.getSnapshot().interrupts.length === 1 && resolve());
      rootStore.subscribe(look);
      look();
    });
    expect(rootStore.getSnapshot().isLoading).toBe(false);
  }
  const [interrupt] = after.rootStore.getSnapshot().interrupts;
  await after.respond(APPROVE, { interruptId: interrupt?.id ?? '' });
  await new Promise<void>((resolve) => {
    const isDone = () => after.rootStore.getSnapshot().messages.at(-1)?.text === 'Written';
    const look = (): void => void (isDone() && resolve());
    after.rootStore.subscribe(look);
    look();
  });
  expect(after.rootStore.getSnapshot().interrupts).toEqual([]);
  expect(await contentsOf(threadId)).toEqual(['human: note x', 'ai: ', 'tool: OK', 'ai: Written']);
});

it('[protocol.fork] starts from an older checkpoint when asked to', async () => {
  service.model.enqueue(answer.text('first'), answer.text('other'));
  const threadId = await newThread(ann);
  const thread = streamOf(threadId);
  const seen = eventsOf(thread);
  await thread.subscribe([...ALL]);
  await thread.run.start({ input: asking('one') });
  await seen.until(isTerminal);
  const checkpoints = (list: readonly ProtocolEventJson[]) =>
    list.filter(({ method }) => method === 'checkpoints').map(({ params }) => params.data);
  const base = checkpoints(seen.events)[0]?.id;
  const before = seen.events.length;
  const { run_id: runId = '' } = await thread.run.start({
    input: asking('two'),
    config: { configurable: { checkpoint_id: base } },
  });
  await seen.until((event) => isTerminal(event) && event.event_id.includes(runId));
  expect(checkpoints(seen.events.slice(before))[0]).toMatchObject({ parent_id: base, source: 'input' });
  expect(await contentsOf(threadId)).toEqual(['human: one', 'human: two', 'ai: other']);
});

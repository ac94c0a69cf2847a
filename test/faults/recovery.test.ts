// A killed process loses nothing that a client has seen (docs/contract/recovery.md).
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, question } from '../support/service.ts';
import type { TestFrame } from '../support/sse.ts';
import { type FaultService, receive, startFaultService } from './fault-service.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'kept' },
};

let service: FaultService;
beforeAll(async () => {
  service = await startFaultService({ runs: { drain_ms: 100 } });
});
afterEach(() => service.model.reset());
afterAll(() => service.remove());

const start = (threadId: string, body: Record<string, unknown>) =>
  service.client.post(`/api/graph/threads/${threadId}/runs/stream`, body);
const runPath = ([metadata]: readonly TestFrame[], threadId: string): string => {
  const data = metadata?.data as { run_id: string } | undefined;
  return `/api/graph/threads/${threadId}/runs/${data?.run_id}`;
};
const place = ({ id }: TestFrame): number => {
  const [seq = 0, k = 0] = id.split('-').map(Number);
  return seq * 1_000 + k;
};

/**
 * Returns the text as a client of the SDK shows it: chunks of a message joined, a removed message restarted.
 */
function shownText(frames: readonly TestFrame[]): string {
  const texts = new Map<string, string>();
  for (const { event, data } of frames) {
    if (event !== 'messages') continue;
    const [message] = data as [{ id: string; type: string; content?: string }];
    if (message.type === 'remove') texts.delete(message.id);
    else if (message.type === 'AIMessageChunk')
      texts.set(message.id, (texts.get(message.id) ?? '') + message.content);
  }
  return [...texts.values()].join('|');
}

describe('kill -9', () => {
  it('[runs.recovery.stream] [fault.F04] in mid-stream: the run continues, and a client that reconnects sees each event once', async () => {
    for (const [round, offset] of cases([1, 2, 4, 5], (it) => it % 2 === 0).entries()) {
      const threadId = await newThread(service.client);
      service.model.onRequest(() => answer.hangMidStream(`lost words ${round}`));
      const response = await start(threadId, question(`question ${round}`, { stream_mode: MODES }));
      const before = await receive(response, (frames) => frames.length >= offset);
      await service.process.kill();
      service.model.onRequest(() => answer.text(`final answer ${round}`));
      await service.process.restart();
      const path = runPath(before, threadId);
      const rest = await service.client.get(`${path}/stream`, { 'last-event-id': before.at(-1)?.id ?? '' });
      const all = [...before, ...(await receive(rest, () => false))];
      expect(all.map(place)).toEqual([...new Set(all.map(place))].sort((a, b) => a - b));
      expect(all.filter(({ event }) => event === 'end')).toHaveLength(1);
      expect(all.at(-1)?.event).toBe('end');
      expect(shownText(all)).toBe(`final answer ${round}`);
      expect(await receive(await service.client.get(`${path}/stream`), () => false)).toEqual(all);
      const run = await jsonOf<RunJson>(service.client.get(path));
      expect(run).toMatchObject({ status: 'success', attempt: 2 });
      const state = await jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
      const contents = state.values.messages.map(({ content }) => content);
      expect(contents).toEqual([`question ${round}`, `final answer ${round}`]);
    }
  });

  it('[runs.rollback.branch] during a branch: rolled back after the restart, the thread has its earlier state', async () => {
    const threadId = await newThread(service.client);
    const state = () => jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
    const heads: StateJson[] = [];
    for (const text of ['one', 'two']) {
      service.model.enqueue(answer.text(`answer ${text}`));
      await receive(await start(threadId, question(text)), () => false);
      heads.push(await state());
    }
    const [older, newest] = heads;
    service.model.enqueue(answer.toolCalls([write]), answer.hangMidStream('lost'));
    const branch = { checkpoint_id: older?.checkpoint?.checkpoint_id, stream_mode: MODES };
    const response = await start(threadId, question('another two', branch));
    const before = await receive(response, () => service.model.requests.length === 4);
    await service.process.kill();
    service.model.enqueue(answer.hangMidStream('lost again'));
    await service.process.restart();
    const path = runPath(before, threadId);
    await expect.poll(() => service.model.requests.length).toBe(5);
    const cancelled = await service.client.post(`${path}/cancel?wait=1&action=rollback`);
    expect(cancelled.status).toBe(204);
    expect(await jsonOf<RunJson>(service.client.get(path))).toMatchObject({
      attempt: 2,
      stop_reason: 'rolled_back',
    });
    expect(await state()).toEqual(newest);
    const listed = await jsonOf<{ content: { content: string } }[]>(
      service.client.get(`/api/threads/${threadId}/messages`),
    );
    expect(listed.map(({ content }) => content.content)).toEqual(['one', 'answer one', 'two', 'answer two']);
  });

  it('[plan.kill] beside a plan: it stays, and an agent that was reminded once is not reminded again', async () => {
    const threadId = await newThread(service.client);
    const todos = [{ content: 'bake', status: 'in_progress' }];
    service.model.enqueue(
      answer.toolCalls([{ name: 'write_todos', args: { todos } }]),
      answer.hangMidStream('lost'),
    );
    const plan = { stream_mode: MODES, config: { configurable: { is_plan_mode: true } } };
    const response = await start(threadId, question('a cake', plan));
    const before = await receive(response, () => service.model.requests.length === 2);
    await service.process.kill();
    service.model.enqueue(answer.text('It is done'), answer.hangMidStream('lost again'));
    await service.process.restart();
    await expect.poll(() => service.model.requests.length).toBe(4);
    await service.process.kill();
    service.model.enqueue(answer.text('The rest waits'));
    await service.process.restart();
    const path = runPath(before, threadId);
    const rest = await service.client.get(`${path}/stream`, { 'last-event-id': before.at(-1)?.id ?? '' });
    const frames = await receive(rest, () => false);
    const last = frames.findLast(({ event }) => event === 'values');
    expect(last?.data).toMatchObject({ todos });
    expect(await jsonOf<RunJson>(service.client.get(path))).toMatchObject({ status: 'success', attempt: 3 });
    const { values } = await jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
    expect(values).toMatchObject({ todos });
    expect(values.messages.map(({ content }) => content)).toEqual([
      'a cake',
      '',
      'The plan is updated: 0 of 1 completed.',
      'It is done',
      'The rest waits',
    ]);
    const reminded = service.model.requests.map(({ lastUserText }) =>
      lastUserText.includes('You were about to end'),
    );
    expect(reminded).toEqual([false, false, false, true, true]);
  });

  it('[loops.kill] between repeated calls: the model is not warned again, and the run ends where it would have ended', async () => {
    const threadId = await newThread(service.client);
    const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
    const again = (count: number) => Array.from({ length: count }, () => answer.toolCalls([look]));
    service.model.enqueue(...again(3), answer.hangMidStream('lost'));
    const before = await receive(
      await start(threadId, question('look', { stream_mode: MODES })),
      () => service.model.requests.length === 4,
    );
    await service.process.kill();
    service.model.enqueue(...again(2), answer.hangMidStream('lost again'));
    await service.process.restart();
    await expect.poll(() => service.model.requests.length).toBe(7);
    await service.process.kill();
    service.model.enqueue(...again(9));
    await service.process.restart();
    const path = runPath(before, threadId);
    const rest = await service.client.get(`${path}/stream`, { 'last-event-id': before.at(-1)?.id ?? '' });
    await receive(rest, () => false);
    expect(await jsonOf<RunJson>(service.client.get(path))).toMatchObject({
      status: 'error',
      stop_reason: 'loop_detected',
      attempt: 3,
    });
    const warnings = service.model.requests.map(
      ({ body }) => JSON.stringify(body.messages).split('You are repeating calls of').length - 1,
    );
    expect(warnings).toEqual([0, 0, 0, 1, 1, 1, 1, 1]);
  });

  it('[runs.recovery.step] after a tool: the finished step is not repeated', async () => {
    const threadId = await newThread(service.client);
    service.model.enqueue(answer.toolCalls([write]), answer.hangMidStream('lost'), answer.text('done'));
    const response = await start(threadId, question('note it', { stream_mode: MODES }));
    const before = await receive(response, () => service.model.requests.length === 2);
    await service.process.kill();
    await service.process.restart();
    const rest = await service.client.get(`${runPath(before, threadId)}/stream`, {
      'last-event-id': before.at(-1)?.id ?? '',
    });
    await receive(rest, () => false);
    const state = await jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.map(({ type, content }) => [type, content])).toEqual([
      ['human', 'note it'],
      ['ai', ''],
      ['tool', 'OK'],
      ['ai', 'done'],
    ]);
    expect(service.model.requests).toHaveLength(3);
  });

  it('[runs.recovery.acknowledged] immediately after a response: everything acknowledged is there', async () => {
    const threadId = await newThread(service.client);
    service.model.onRequest(() => answer.text('Hello'));
    await receive(await start(threadId, question('hi', { stream_mode: MODES })), () => false);
    const created = await jsonOf<RunJson>(
      service.client.post(`/api/graph/threads/${threadId}/runs`, question('again')),
    );
    await service.process.kill();
    await service.process.restart();
    const values = await jsonOf<StateJson['values']>(
      service.client.get(`/api/graph/threads/${threadId}/runs/${created.run_id}/join`),
    );
    expect(values.messages.map(({ content }) => content)).toEqual(['hi', 'Hello', 'again', 'Hello']);
  });

  it('[runs.recovery.crash-loop] [fault.F17] three times in one run: it ends as crashed_repeatedly and the thread continues', async () => {
    const threadId = await newThread(service.client);
    service.model.onRequest(({ lastUserText }) =>
      lastUserText === 'poison' ? answer.hangMidStream('words') : answer.text('fine'),
    );
    const response = await start(threadId, question('poison', { stream_mode: ['messages-tuple'] }));
    let frames = await receive(response, (it) => it.some(({ event }) => event === 'messages'));
    const path = `${runPath(frames, threadId)}/stream?stream_mode=messages-tuple`;
    for (let attempt = 1; attempt <= 3; attempt++) {
      await service.process.kill();
      await service.process.restart();
      const again = await service.client.get(path, { 'last-event-id': frames.at(-1)?.id ?? '' });
      const more = await receive(
        again,
        (it) => it.at(-1)?.event === 'messages' && !JSON.stringify(it.at(-1)).includes('"remove"'),
      );
      frames = [...frames, ...more];
    }
    expect(frames.slice(-2).map(({ event }) => event)).toEqual(['error', 'end']);
    const run = await jsonOf<RunJson>(service.client.get(runPath(frames, threadId)));
    expect(run).toMatchObject({ status: 'error', stop_reason: 'crashed_repeatedly' });
    await receive(await start(threadId, question('hello')), () => false);
    const state = await jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.at(-1)?.content).toBe('fine');
  });
});

describe('SIGTERM', () => {
  it('[running.stop] hands running runs over, exits 0, and the runs continue without a lost attempt', async () => {
    const threadId = await newThread(service.client);
    service.model.enqueue(answer.hangMidStream('half'), answer.text('whole'));
    const response = await start(threadId, question('hi', { stream_mode: MODES }));
    const before = await receive(response, (frames) => frames.some(({ event }) => event === 'messages'));
    expect(await service.process.stop()).toBe(0);
    await service.process.restart();
    const path = runPath(before, threadId);
    const rest = await receive(
      await service.client.get(`${path}/stream`, { 'last-event-id': before.at(-1)?.id ?? '' }),
      () => false,
    );
    expect(shownText([...before, ...rest])).toBe('whole');
    expect(await jsonOf<RunJson>(service.client.get(path))).toMatchObject({ status: 'success', attempt: 1 });
  });
});

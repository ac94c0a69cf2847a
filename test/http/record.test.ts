// Messages and events of threads and runs over HTTP (docs/contract/record.md).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type EventJson, type MessagePageJson, seqsOf } from '../support/record-json.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
let ann: HttpClient;
let threadId: string;
beforeAll(async () => {
  test = await openTestService();
  ann = await test.user('ann');
});
afterAll(() => test.close());
beforeEach(async () => {
  threadId = await newThread(ann);
});

const list = { name: 'list_files', args: { description: 'look', path: '/mnt/user-data/workspace' } };

async function ask(text: string, ...answers: Answer[]): Promise<string> {
  test.model.enqueue(...answers);
  await streamed(ann, threadId, question(text));
  const [run] = await jsonOf<RunJson[]>(ann.get(`/api/threads/${threadId}/runs?limit=1`));
  return run?.run_id ?? '';
}

const get = <T>(path: string) => jsonOf<T>(ann.get(path));
const messages = (query = '') => get<EventJson[]>(`/api/threads/${threadId}/messages${query}`);
const page = (query = '') => get<MessagePageJson>(`/api/threads/${threadId}/messages/page${query}`);
const ofRun = (runId: string, query = '') =>
  get<MessagePageJson>(`/api/threads/${threadId}/runs/${runId}/messages${query}`);
const events = (runId: string, query = '') =>
  get<EventJson[]>(`/api/threads/${threadId}/runs/${runId}/events${query}`);
const said = (list: readonly EventJson[]) => list.map(({ content }) => content.content);

describe('messages', () => {
  it('[messages.list] of a thread are a bare list of events in rising seq', async () => {
    const runId = await ask('look', answer.toolCalls([list]), answer.text('Nothing there'));
    const rows = await messages();
    expect(rows.map(({ event_type }) => event_type)).toEqual([
      'human_message',
      'ai_tool_call',
      'tool_result',
      'ai_message',
    ]);
    expect(rows[0]).toEqual({
      thread_id: threadId,
      run_id: runId,
      seq: 1,
      event_type: 'human_message',
      category: 'message',
      content: expect.objectContaining({ type: 'human', content: 'look' }),
      metadata: { content_is_json: true },
      user_id: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/),
    });
    expect(seqsOf(rows)).toEqual(seqsOf(rows).toSorted((a, b) => a - b));
  });

  it('[messages.page] come with has_more in the direction of the paging, and the cursor of the older page', async () => {
    for (const text of ['a', 'b', 'c']) await ask(text, answer.text(text.toUpperCase()));
    const newest = await page('?limit=4');
    expect(said(newest.data)).toEqual(['b', 'B', 'c', 'C']);
    expect(newest).toMatchObject({ has_more: true, next_before_seq: newest.data[0]?.seq });
    const older = await page(`?limit=4&before_seq=${newest.next_before_seq}`);
    expect(said(older.data)).toEqual(['a', 'A']);
    expect(older).toMatchObject({ has_more: false, next_before_seq: null });
    const newer = await page(`?limit=3&after_seq=${older.data[1]?.seq}`);
    expect(said(newer.data)).toEqual(['b', 'B', 'c']);
    expect(newer).toMatchObject({ has_more: true, next_before_seq: null });
    expect(said(await messages('?limit=1'))).toEqual(['C']);
    expect(said(await messages(`?before_seq=${newest.data[0]?.seq}`))).toEqual(['a', 'A']);
  });

  it('[messages.run] of a run are the same with or without its thread in the path', async () => {
    await ask('first', answer.text('one'));
    const runId = await ask('second', answer.text('two'));
    for (const path of [`/api/threads/${threadId}/runs/${runId}`, `/api/runs/${runId}`]) {
      const whole = await get<MessagePageJson>(`${path}/messages`);
      expect(whole.has_more).toBe(false);
      expect(said(whole.data)).toEqual(['second', 'two']);
      const start = await get<MessagePageJson>(`${path}/messages?limit=1&after_seq=0`);
      expect(start.has_more).toBe(true);
      expect(said(start.data)).toEqual(['second']);
    }
    expect((await ann.get(`/api/runs/${crypto.randomUUID()}/messages`)).status).toBe(404);
  });

  it('[messages.owner] of another user are absent, like an unknown run', async () => {
    const runId = await ask('mine', answer.text('yours'));
    const bob = await test.user('bob');
    for (const path of [
      `/api/threads/${threadId}/messages`,
      `/api/threads/${threadId}/events`,
      `/api/threads/${threadId}/runs/${runId}/events`,
      `/api/runs/${runId}/messages`,
    ]) {
      const foreign = await bob.get(path);
      const absent = await bob.get(path.replace(threadId, 'nobodys').replace(runId, crypto.randomUUID()));
      expect([path, foreign.status, await foreign.text()]).toEqual([path, 404, await absent.text()]);
    }
  });

  it('[messages.limits] limits and cursors out of range are 422, and so are both cursors together', async () => {
    const runId = await ask('x', answer.text('y'));
    const bad = [
      'limit=0',
      'limit=201',
      'limit=x',
      'before_seq=-1',
      'after_seq=1e3',
      'before_seq=5&after_seq=1',
    ];
    const thread = `/api/threads/${threadId}`;
    const paths = ['/messages', '/messages/page', `/runs/${runId}/messages`].map((it) => thread + it);
    for (const path of [...paths, `/api/runs/${runId}/messages`]) {
      for (const query of bad) {
        expect([path, query, (await ann.get(`${path}?${query}`)).status]).toEqual([path, query, 422]);
      }
      expect((await ann.get(`${path}?limit=200`)).status).toBe(200);
    }
    for (const path of [`${thread}/events`, `${thread}/runs/${runId}/events`]) {
      for (const query of ['limit=2001', 'limit=0', 'after_seq=-1', 'before_seq=1&after_seq=1']) {
        expect([path, query, (await ann.get(`${path}?${query}`)).status]).toEqual([path, query, 422]);
      }
      expect((await ann.get(`${path}?limit=2000`)).status).toBe(200);
    }
  });
});

describe('parts that the conversation left behind', () => {
  it('[messages.replaced] a branch drops the reply that it replaces from the messages, not from the events', async () => {
    const first = await ask('hello', answer.text('old answer'));
    const history = await jsonOf<{ checkpoint_id: string; next: string[]; metadata: { source: string } }[]>(
      ann.post(`/api/threads/${threadId}/history`, { limit: 10 }),
    );
    const asked = history.find(({ next }) => next[0] === 'model');
    test.model.enqueue(answer.text('new answer'));
    const again = { assistant_id: 'lead_agent', input: null, checkpoint_id: asked?.checkpoint_id };
    const frames = await streamed(ann, threadId, again);
    expect(frames.at(-1)?.event).toBe('end');
    expect(said(await messages())).toEqual(['hello', 'new answer']);
    expect(said((await ofRun(first)).data)).toEqual(['hello']);
    expect((await events(first, '?event_types=ai_message')).map(({ content }) => content.content)).toEqual([
      'old answer',
    ]);
  });

  it('[messages.rolled-back] a rolled-back run is in the events only', async () => {
    await ask('keep', answer.text('kept'));
    const gate = Promise.withResolvers<void>();
    test.model.enqueue(answer.script(step.text('half'), step.until(gate.promise), step.text('too late')));
    const asked = test.model.requests.length + 1;
    const run = await jsonOf<RunJson>(ann.post(`/api/threads/${threadId}/runs`, question('undo me')));
    await test.model.requested(asked);
    await ann.post(`/api/threads/${threadId}/runs/${run.run_id}/cancel?action=rollback&wait=1`, {});
    gate.resolve();
    expect(said(await messages())).toEqual(['keep', 'kept']);
    expect(await ofRun(run.run_id)).toEqual({ data: [], has_more: false });
    expect((await events(run.run_id)).map(({ event_type }) => event_type)).toContain('human_message');
  });
});

describe('events', () => {
  it('[events.list] of a run are a bare list, by type and after a position', async () => {
    await ask('before', answer.text('other run'));
    const runId = await ask('look', answer.toolCalls([list]), answer.text('done'));
    const all = await events(runId);
    expect(all.every(({ run_id }) => run_id === runId)).toBe(true);
    expect(all.map(({ event_type }) => event_type)).toEqual(
      expect.arrayContaining(['run_start', 'llm_request']),
    );
    const some = await events(runId, '?event_types=llm_request,tool_start&limit=2&after_seq=0');
    expect(some.map(({ event_type }) => event_type)).toEqual(['llm_request', 'tool_start']);
    expect(
      await events(runId, '?event_types=tool_start&event_types=llm_request&limit=2&after_seq=0'),
    ).toEqual(some);
    expect(await events(runId, `?event_types=tool_start&after_seq=${some[1]?.seq}`)).toEqual([]);
    expect(await events(runId, '?event_types=nothing_like_it')).toEqual([]);
    expect(seqsOf(await events(runId, '?limit=2'))).toEqual(seqsOf(all).slice(-2));
    expect(seqsOf(await events(runId, `?limit=2&before_seq=${all[2]?.seq}`))).toEqual(
      seqsOf(all).slice(0, 2),
    );
  });

  it('[events.list] of a thread follow the same rules, over all runs', async () => {
    await ask('one', answer.text('1'));
    await ask('two', answer.text('2'));
    const thread = `/api/threads/${threadId}/events`;
    const all = await get<EventJson[]>(thread);
    expect(seqsOf(all)).toEqual(all.map((_, index) => index + 1));
    const ends = await get<EventJson[]>(`${thread}?event_types=run_end,human_message`);
    expect(ends.map(({ event_type }) => event_type)).toEqual([
      'human_message',
      'run_end',
      'human_message',
      'run_end',
    ]);
    expect(seqsOf(await get(`${thread}?event_types=run_end,human_message&limit=3`))).toEqual(
      seqsOf(ends).slice(1),
    );
    expect(seqsOf(await get(`${thread}?limit=3&after_seq=2`))).toEqual([3, 4, 5]);
  });
});

// Thumbs for replies over HTTP (docs/contract/record.md#feedback).
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { unavailable } from '../../src/errors.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { sampleRun } from '../storage/samples.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import type { EventJson, FeedbackJson } from '../support/record-json.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
let ann: HttpClient;
beforeAll(async () => {
  test = await openTestService();
  ann = await test.user('ann');
});
afterAll(() => test.close());

let threadId: string;
let runId: string;
let feedback: string;
beforeEach(async () => {
  threadId = await newThread(ann);
  runId = await ask('hello');
  feedback = `/api/threads/${threadId}/runs/${runId}/feedback`;
});

async function ask(text: string): Promise<string> {
  test.model.enqueue(answer.text('Hi'));
  await streamed(ann, threadId, question(text));
  const [run] = await jsonOf<RunJson[]>(ann.get(`/api/threads/${threadId}/runs?limit=1`));
  return run?.run_id ?? '';
}

const statusOf = async (call: Promise<Response>): Promise<number> => (await call).status;
const rows = () => jsonOf<FeedbackJson[]>(ann.get(feedback));

describe('feedback', () => {
  it('[feedback.create] is created once; a second time is 409', async () => {
    const created = await ann.post(feedback, { rating: 1, comment: 'good', message_id: 'm1' });
    expect(created.status).toBe(200);
    const me = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
    const row = {
      feedback_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      thread_id: threadId,
      run_id: runId,
      user_id: me.id,
      message_id: 'm1',
      rating: 1,
      comment: 'good',
      created_at: expect.stringMatching(/\+00:00$/),
    };
    expect(await created.json()).toEqual(row);
    expect(await statusOf(ann.post(feedback, { rating: -1 }))).toBe(409);
    expect(await rows()).toEqual([row]);
    expect(await jsonOf(ann.get(`/api/runs/${runId}/feedback`))).toEqual([row]);
  });

  it('[feedback.put] is created or replaced', async () => {
    const first = await jsonOf<FeedbackJson>(ann.put(feedback, { rating: -1, comment: 'bad' }));
    const second = await jsonOf<FeedbackJson>(ann.put(feedback, { rating: 1 }));
    expect(second).toMatchObject({ feedback_id: first.feedback_id, rating: 1, comment: null });
    expect(await rows()).toEqual([second]);
  });

  it('[feedback.stats] is counted', async () => {
    const stats = () => jsonOf(ann.get(`${feedback}/stats`));
    expect(await stats()).toEqual({ run_id: runId, count: 0, sum: 0, positive: 0, negative: 0 });
    await ann.post(feedback, { rating: -1 });
    expect(await stats()).toEqual({ run_id: runId, count: 1, sum: -1, positive: 0, negative: 1 });
  });

  it('[feedback.delete] is deleted by its run or its id, which must be of that thread and run', async () => {
    const other = await ask('again');
    const elsewhere = `/api/threads/${threadId}/runs/${other}/feedback`;
    const { feedback_id: id } = await jsonOf<FeedbackJson>(ann.post(feedback, { rating: 1 }));
    expect(await statusOf(ann.delete(`${elsewhere}/${id}`))).toBe(404);
    expect(await statusOf(ann.delete(`${feedback}/another`))).toBe(404);
    expect(await statusOf(ann.delete(elsewhere))).toBe(404);
    expect(await jsonOf(ann.delete(`${feedback}/${id}`))).toEqual({ success: true });
    expect(await statusOf(ann.delete(feedback))).toBe(404);
    await ann.post(feedback, { rating: 1 });
    expect(await statusOf(ann.delete(feedback))).toBe(200);
    expect(await rows()).toEqual([]);
  });

  it('[feedback.invalid] accepts 1 and -1, a comment of 4,000 characters, and nothing else', async () => {
    const bad = [{}, { rating: 0 }, { rating: 2 }, { rating: '1' }, { rating: true }, { rating: 1.5 }];
    const worse = [
      { rating: 1, comment: '💡'.repeat(4_001) },
      { rating: 1, comment: 7 },
      { rating: 1, message_id: 7 },
    ];
    for (const body of [...bad, ...worse]) {
      expect([body, await statusOf(ann.post(feedback, body))]).toEqual([body, 422]);
      expect([body, await statusOf(ann.put(feedback, body))]).toEqual([body, 422]);
    }
    const longest = '💡'.repeat(4_000);
    expect(await jsonOf(ann.post(feedback, { rating: 1, comment: longest, message_id: null }))).toMatchObject(
      {
        comment: longest,
        message_id: null,
      },
    );
  });

  it('[feedback.once] concurrent clicks leave one row', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        n % 2 === 0
          ? statusOf(ann.post(feedback, { rating: 1 }))
          : statusOf(ann.put(feedback, { rating: -1 })),
      ),
    );
    expect(answers.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await rows()).toHaveLength(1);
  });

  it('[feedback.messages] is shown on the last reply of each run in the listings of messages', async () => {
    const second = await ask('again');
    await ann.post(feedback, { rating: -1, comment: 'meh' });
    const messages = await jsonOf<EventJson[]>(ann.get(`/api/threads/${threadId}/messages`));
    expect(messages.map(({ event_type, feedback: it }) => [event_type, it?.rating ?? it])).toEqual([
      ['human_message', undefined],
      ['ai_message', -1],
      ['human_message', undefined],
      ['ai_message', null],
    ]);
    const { data } = await jsonOf<{ data: EventJson[] }>(ann.get(`/api/runs/${second}/messages`));
    expect(data.at(-1)?.feedback).toBeNull();
  });

  it('[feedback.unknown] for an unknown run or a run of another thread is 404', async () => {
    const other = await newThread(ann);
    for (const path of [
      `/api/runs/${crypto.randomUUID()}/feedback`,
      `/api/threads/${threadId}/runs/${crypto.randomUUID()}/feedback`,
      `/api/threads/${other}/runs/${runId}/feedback`,
      `/api/threads/${other}/runs/${runId}/feedback/stats`,
    ]) {
      expect([path, await statusOf(ann.get(path))]).toEqual([path, 404]);
    }
  });

  it('[feedback.shared] for a shared thread is refused', async () => {
    const { threads, runs } = test.service.storage.as(UNSCOPED);
    await threads.create({ threadId: 'shared', metadata: {}, assistantId: null, now: 1 });
    await runs.admit(sampleRun('shared-run', 'shared', { delayMs: 60_000 }));
    expect(await statusOf(ann.get('/api/threads/shared/messages'))).toBe(200);
    const path = '/api/threads/shared/runs/shared-run/feedback';
    expect(await statusOf(ann.get('/api/runs/shared-run/feedback'))).toBe(404);
    expect(await statusOf(ann.get(path))).toBe(404);
    expect(await statusOf(ann.get(`${path}/stats`))).toBe(404);
    expect(await statusOf(ann.put(path, { rating: 1 }))).toBe(404);
    expect(await statusOf(ann.post(path, { rating: 1 }))).toBe(404);
    expect(await statusOf(ann.delete(path))).toBe(404);
  });

  it('[feedback.gone] is deleted with its run and its thread', async () => {
    await ann.post(feedback, { rating: 1 });
    expect(await statusOf(ann.delete(`/api/threads/${threadId}/runs/${runId}`))).toBe(204);
    expect(await statusOf(ann.get(`/api/runs/${runId}/feedback`))).toBe(404);
    expect(await test.service.storage.as(UNSCOPED).feedback.list(threadId, [runId])).toEqual([]);
  });
});

describe('without a database', () => {
  it('[feedback.unavailable] is 503 only while the database does not respond', async () => {
    const real = await openStorage({ url: 'sqlite::memory:', log: QUIET_LOG });
    let away = false;
    const list = () => Promise.reject(unavailable('The database is away.'));
    const as: Storage['as'] = (owner) => {
      const repositories = real.as(owner);
      return away ? { ...repositories, feedback: { ...repositories.feedback, list } } : repositories;
    };
    const service = await openTestService({ overrides: { storage: { ...real, as } } });
    const client = await service.user();
    service.model.enqueue(answer.text('Hi'));
    const run = await jsonOf<RunJson>(client.post('/api/graph/runs', question('hello')));
    await client.get(`/api/threads/${run.thread_id}/runs/${run.run_id}/join`).then((it) => it.text());
    const path = `/api/runs/${run.run_id}/feedback`;
    expect(await statusOf(client.get(path))).toBe(200);
    away = true;
    const answered = await client.get(path);
    expect([answered.status, await answered.json()]).toEqual([503, { detail: 'The database is away.' }]);
    expect(await statusOf(client.get(`/api/runs/${crypto.randomUUID()}/feedback`))).toBe(404);
    await service.close();
  });
});

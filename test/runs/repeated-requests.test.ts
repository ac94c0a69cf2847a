// Requests for runs that are repeated with their Idempotency-Key: batches, and runs that name no thread.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { stateOf } from './waiting-run.ts';

let test: TestService;
let client: HttpClient;
beforeAll(async () => {
  test = await openTestService();
  client = await test.user();
});
afterAll(() => test.close());

describe('a repeated request', () => {
  it('[runs.idempotency.batch] makes a run of each body of a batch, and returns the same ones when repeated', async () => {
    const key = { 'idempotency-key': 'a batch' };
    const send = (bodies: object[]) => jsonOf<RunJson[]>(client.post('/api/graph/runs/batch', bodies, key));
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const bodies = ['one', 'two', 'three'].map((content) => question(content));
    const first = await send(bodies);
    const ids = first.map(({ run_id }) => run_id);
    expect(new Set(ids).size).toBe(3);
    const again = await Promise.all([send(bodies), send(bodies)]);
    for (const runs of again) expect(runs.map(({ run_id }) => run_id)).toEqual(ids);
    // A body without a run gets one.
    const [shorter] = [await send([...bodies, question('four')])];
    expect(shorter.map(({ run_id }) => run_id).slice(0, 3)).toEqual(ids);
    const answers = await Promise.all(
      shorter.map(({ thread_id, run_id }) =>
        jsonOf<ValuesJson>(client.get(`/api/graph/threads/${thread_id}/runs/${run_id}/join`)),
      ),
    );
    expect(answers.map(({ messages }) => messages.at(-1)?.content)).toEqual([
      're one',
      're two',
      're three',
      're four',
    ]);
  });

  it('[runs.idempotency.thread] makes one thread for a stateless request that arrives four times concurrently', async () => {
    const count = async () => Number(await (await client.post('/api/graph/threads/count', {})).text());
    test.model.onRequest(() => answer.text('once'));
    const before = await count();
    const key = { 'idempotency-key': 'four copies' };
    const copies = await Promise.all(
      [1, 2, 3, 4].map(() =>
        jsonOf<RunJson>(client.post('/api/graph/runs', question('hi', { on_completion: 'keep' }), key)),
      ),
    );
    expect(new Set(copies.map(({ run_id }) => run_id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
    const other = await test.user();
    const theirs = await jsonOf<RunJson>(other.post('/api/graph/runs', question('hi'), key));
    expect(theirs.thread_id).not.toBe(copies[0]?.thread_id);
  });

  it('[runs.idempotency] gets its run though the thread has lost the state that it continued from', async () => {
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    test.model.onRequest(() => answer.hangMidStream('half'));
    const first = await jsonOf<RunJson>(client.post(runs, question('hi')));
    await expect.poll(async () => (await stateOf(client, threadId)).next).toEqual(['model']);
    const goOn = () =>
      client.post(
        runs,
        { assistant_id: 'lead_agent', input: null, multitask_strategy: 'enqueue' },
        { 'idempotency-key': 'goes on' },
      );
    const { run_id: runId } = await jsonOf<RunJson>(goOn());
    await client.post(`${runs}/${runId}/cancel?wait=1`);
    await client.post(`${runs}/${first.run_id}/cancel?wait=1&action=rollback`);
    expect((await stateOf(client, threadId)).next).toEqual([]);
    expect(await jsonOf<RunJson>(goOn())).toMatchObject({ run_id: runId, status: 'interrupted' });
  });

  it('[runs.idempotency] gets its run though the thread would refuse it by now, since its question is answered', async () => {
    const asking = await openTestService({ config: { agent: { approvals: { write_file: 'always' } } } });
    try {
      const ann = await asking.user();
      const threadId = await newThread(ann);
      const args = { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'x' };
      asking.model.enqueue(
        answer.toolCalls([{ id: 'c1', name: 'write_file', args }]),
        answer.text('Written'),
      );
      await streamed(ann, threadId, question('note x'));
      const runs = `/api/graph/threads/${threadId}/runs`;
      const command = { resume: { decisions: [{ type: 'approve' }] } };
      const resume = (key: string) =>
        ann.post(runs, { assistant_id: 'lead_agent', command }, { 'idempotency-key': key });
      const { run_id: runId } = await jsonOf<RunJson>(resume('an answer'));
      await (await ann.get(`${runs}/${runId}/join`)).text();
      expect(await jsonOf<RunJson>(resume('an answer'))).toMatchObject({ run_id: runId, status: 'success' });
      expect((await resume('another answer')).status).toBe(409);
      expect(asking.model.requests).toHaveLength(2);
    } finally {
      await asking.close();
    }
  });
});

// Many runs on one thread, and threads that are edited, copied and deleted during runs (fault.F41, F44, F45).
import { afterEach, beforeEach, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService();
});
afterEach(() => test.close());

const humans = ({ messages }: ValuesJson) =>
  messages.filter(({ type }) => type === 'human').map(({ content }) => content);

it('[fault.F44] 20 messages wait in the queue: visible, removable, each once and in order', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  const path = `/api/graph/threads/${threadId}/runs`;
  const gate = Promise.withResolvers<void>();
  test.model.onRequest(async ({ lastUserText }) => {
    await gate.promise;
    return answer.text(`re ${lastUserText}`);
  });
  const texts = Array.from({ length: 20 }, (_, index) => `q${index}`);
  const created: RunJson[] = [];
  for (const text of texts) created.push(await jsonOf<RunJson>(client.post(path, question(text))));
  await test.model.requested(1);
  const waiting = await jsonOf<RunJson[]>(client.get(`${path}?limit=100&status=pending`));
  expect(waiting.map(({ run_id }) => run_id).toReversed()).toEqual(
    created.slice(1).map(({ run_id }) => run_id),
  );
  const removed = created[7]?.run_id;
  expect((await client.post(`${path}/${removed}/cancel?wait=1`)).status).toBe(204);
  expect((await client.delete(`${path}/${removed}`)).status).toBe(204);
  gate.resolve();
  const values = await jsonOf<ValuesJson>(client.get(`${path}/${created.at(-1)?.run_id}/join`));
  expect(humans(values)).toEqual(texts.filter((text) => text !== 'q7'));
  expect(test.model.requests).toHaveLength(19);
});

it('[fault.F45] editing, regenerating and copying during a run: refused or queued, and the copy has the current state', async () => {
  const client = await test.user();
  const threadId = await newThread(client);
  test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
  await streamed(client, threadId, question('one'));
  const path = `/api/graph/threads/${threadId}`;
  const history = await jsonOf<StateJson[]>(client.post(`${path}/history`, { limit: 100 }));
  const before = history.find(({ values }) => (values.messages ?? []).length === 0)?.checkpoint;
  const asked = history.find(({ values }) => (values.messages ?? []).length === 1)?.checkpoint;
  const gate = Promise.withResolvers<void>();
  test.model.onRequest(async ({ lastUserText }) => {
    if (lastUserText === 'two') await gate.promise;
    return answer.text(`re ${lastUserText}`);
  });
  const going = streamed(client, threadId, question('two'));
  await test.model.requested(2);
  const edited = (multitask_strategy: string) =>
    client.post(`${path}/runs`, { ...question('edited'), checkpoint: before, multitask_strategy });
  expect((await edited('reject')).status).toBe(409);
  const inLine = await jsonOf<RunJson>(edited('enqueue'));
  const again = await jsonOf<RunJson>(
    client.post(`${path}/runs`, { assistant_id: 'lead_agent', input: null, checkpoint: asked }),
  );
  expect([inLine.status, again.status]).toEqual(['pending', 'pending']);
  const copied = await jsonOf<{ thread_id: string }>(client.post(`${path}/copy`));
  gate.resolve();
  expect((await going).at(-1)?.event).toBe('end');
  const valuesOf = async ({ run_id }: RunJson) =>
    jsonOf<ValuesJson>(client.get(`${path}/runs/${run_id}/join`));
  const texts = ({ messages }: ValuesJson) => messages.map(({ content }) => content);
  expect(texts(await valuesOf(inLine))).toEqual(['edited', 're edited']);
  expect(texts(await valuesOf(again))).toEqual(['one', 're one']);
  expect((await client.delete(path)).status).toBe(204);
  const copy = await jsonOf<StateJson>(client.get(`/api/graph/threads/${copied.thread_id}/state`));
  expect(texts(copy.values).slice(0, 2)).toEqual(['one', 're one']);
});

it('[fault.F45] copies of copies survive their origins, and a thread in a run cannot be edited', async () => {
  const client = await test.user();
  test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
  const first = await newThread(client);
  await streamed(client, first, question('one'));
  const copy = async (threadId: string): Promise<string> =>
    (await jsonOf<{ thread_id: string }>(client.post(`/api/graph/threads/${threadId}/copy`))).thread_id;
  const second = await copy(first);
  await streamed(client, second, question('two'));
  const third = await copy(second);
  const gate = Promise.withResolvers<void>();
  test.model.onRequest(async ({ lastUserText }) => {
    await gate.promise;
    return answer.text(`re ${lastUserText}`);
  });
  const answered = streamed(client, third, question('three'));
  await test.model.requested(3);
  const path = `/api/graph/threads/${third}`;
  expect((await client.post(`${path}/state`, { values: { title: 'no' } })).status).toBe(409);
  for (const parent of [first, second])
    expect((await client.delete(`/api/graph/threads/${parent}`)).status).toBeLessThan(300);
  gate.resolve();
  expect((await answered).at(-1)?.event).toBe('end');
  const { values } = await jsonOf<StateJson>(client.get(`${path}/state`));
  expect(values.messages.map(({ content }) => content)).toEqual(
    ['one', 'two', 'three'].flatMap((text) => [text, `re ${text}`]),
  );
});

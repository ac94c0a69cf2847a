// A question that two requests answer.
import { afterEach, describe, expect, it } from 'vitest';
import { WORD_TOOLS } from '../peer/word-tools.ts';
import { isTerminal, type ProtocolEventJson } from '../protocol/events-of.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type MessageJson, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';
import { command, stateOf, write } from './waiting-run.ts';

let test: TestService;
afterEach(() => test.close());

const open = async (agent: Record<string, unknown> = {}): Promise<HttpClient> => {
  test = await openTestService({ config: { agent } });
  return test.user();
};
/** Returns what a new reader of Agent Protocol v2 sees until `ends` runs have ended, by run and method. */
const toldOf = async (client: HttpClient, threadId: string, ends: number) => {
  const body = { channels: ['input', 'lifecycle'] };
  const response = await client.post(`/api/graph/threads/${threadId}/stream/events`, body);
  const seen: ProtocolEventJson[] = [];
  for await (const { data } of framesOf(response)) {
    seen.push(data as ProtocolEventJson);
    if (seen.filter(isTerminal).length === ends) break;
  }
  return (runId: string, wanted: string) =>
    seen.filter(({ event_id, method }) => event_id.includes(runId) && method === wanted);
};
const contents = (messages: readonly MessageJson[]) =>
  messages.map(({ type, content }) => `${type}: ${content}`);

describe('a question that is answered twice', () => {
  it('[hitl.twice] is answered once by concurrent requests; the waiting runs fail, and a late request is 409', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const approve = { resume: { decisions: [{ type: 'approve' }] } };
    const gate = Promise.withResolvers<void>();
    test.model.enqueue(
      answer.toolCalls([write('a.md', 'x', 'c1')]),
      answer.script(step.text('Written'), step.until(gate.promise), step.finish(), step.done()),
    );
    await streamed(client, threadId, question('note x'));
    const clicks = await Promise.all(
      [1, 2, 3].map(() => client.post(runs, command(approve, { multitask_strategy: 'enqueue' }))),
    );
    const accepted = await Promise.all(clicks.map((it) => jsonOf<RunJson>(Promise.resolve(it))));
    await test.model.requested(2);
    gate.resolve();
    const ends: (RunJson & { stop_reason?: string })[] = [];
    for (const { run_id } of accepted) {
      await (await client.get(`${runs}/${run_id}/join`)).text();
      ends.push(await jsonOf(client.get(`${runs}/${run_id}`)));
    }
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['error', 'error', 'success']);
    const late = ends.filter(({ status }) => status === 'error');
    expect(late.map(({ stop_reason }) => stop_reason)).toEqual(['already_answered', 'already_answered']);
    expect(late[0]).toMatchObject({
      error: expect.stringContaining('another run has already answered the question'),
    });
    expect(test.model.requests).toHaveLength(2);
    const { values, next } = await stateOf(client, threadId);
    expect([contents(values.messages), next]).toEqual([
      ['human: note x', 'ai: ', 'tool: OK', 'ai: Written'],
      [],
    ]);
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({ status: 'idle' });
    expect((await client.post(runs, command(approve))).status).toBe(409);
  });

  it('[hitl.twice] lets two runs answer two open questions, each by its id', async () => {
    test = await openTestService({ overrides: { tools: () => WORD_TOOLS } });
    const client = await test.user();
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const ask = (id: string) => ({ id, name: 'ask', args: { question: id } });
    test.model.enqueue(answer.toolCalls([ask('who'), ask('when')]), answer.text('Both'));
    await streamed(client, threadId, question('ask'));
    const asked = (await stateOf(client, threadId)).tasks.flatMap(({ interrupts }) => interrupts);
    expect(asked).toHaveLength(2);
    const bodies = asked.map(({ id }) =>
      command({ resume: { [id]: id } }, { multitask_strategy: 'enqueue' }),
    );
    const accepted = await Promise.all(bodies.map((body) => jsonOf<RunJson>(client.post(runs, body))));
    for (const { run_id } of accepted) {
      await (await client.get(`${runs}/${run_id}/join`)).text();
      expect((await jsonOf<RunJson>(client.get(`${runs}/${run_id}`))).status).not.toBe('error');
    }
    const { values, next } = await stateOf(client, threadId);
    expect([values.messages.map(({ type }) => type), next]).toEqual([
      ['human', 'ai', 'tool', 'tool', 'ai'],
      [],
    ]);
    const told = await toldOf(client, threadId, 2);
    for (const [index, { run_id }] of accepted.entries())
      expect(JSON.stringify(told(run_id, 'input.answered'))).toContain(asked[index]?.id);
  });

  it('[hitl.twice] a late answer leaves the thread in error, as the first one left it', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const approve = { resume: { decisions: [{ type: 'approve' }] } };
    const gate = Promise.withResolvers<void>();
    const turns = [answer.toolCalls([write('a.md', 'x', 'c1')]), answer.unauthorized()];
    test.model.onRequest(async () => {
      if (turns.length === 1) await gate.promise;
      return turns.shift() ?? answer.text('not asked');
    });
    await streamed(client, threadId, question('note x'));
    const enqueued = command(approve, { multitask_strategy: 'enqueue' });
    const accepted = [
      await jsonOf<RunJson>(client.post(runs, enqueued)),
      await jsonOf<RunJson>(client.post(runs, enqueued)),
    ];
    gate.resolve();
    const reasons: (string | null)[] = [];
    for (const { run_id } of accepted) {
      await (await client.get(`${runs}/${run_id}/join`)).text();
      reasons.push((await jsonOf<RunJson>(client.get(`${runs}/${run_id}`))).stop_reason);
    }
    expect(reasons).toEqual(['model_error', 'already_answered']);
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({ status: 'error' });
  });

  it('[hitl.twice] a rollback of an answer lets the person answer the question again', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const decided = (type: string) => ({ resume: { decisions: [{ type }] } });
    const gate = Promise.withResolvers<void>();
    test.model.enqueue(
      answer.toolCalls([write('a.md', 'x', 'c1')]),
      answer.script(step.text('Written'), step.until(gate.promise), step.finish(), step.done()),
      answer.text('As you wish'),
    );
    await streamed(client, threadId, question('note x'));
    await client.post(runs, command(decided('approve')));
    await test.model.requested(2);
    const anew = await jsonOf<RunJson>(
      client.post(runs, command(decided('reject'), { multitask_strategy: 'rollback' })),
    );
    gate.resolve();
    await (await client.get(`${runs}/${anew.run_id}/join`)).text();
    expect((await jsonOf<RunJson>(client.get(`${runs}/${anew.run_id}`))).status).toBe('success');
    expect((await stateOf(client, threadId)).values.messages.at(-1)?.content).toBe('As you wish');
  });

  it('[hitl.twice] a late answer to the first question does not answer the second', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    const runs = `/api/graph/threads/${threadId}/runs`;
    const approve = { resume: { decisions: [{ type: 'approve' }] } };
    const enqueued = command(approve, { multitask_strategy: 'enqueue' });
    const gate = Promise.withResolvers<void>();
    const asks = [[write('a.md', 'x', 'c1')], [write('b.md', 'nobody has answered this', 'c2')]];
    test.model.onRequest(async () => {
      const calls = asks.shift() ?? [];
      if (asks.length === 0) await gate.promise;
      return answer.toolCalls(calls);
    });
    await streamed(client, threadId, question('note x'));
    const first = await jsonOf<RunJson>(client.post(runs, enqueued));
    const second = await jsonOf<RunJson>(client.post(runs, enqueued));
    gate.resolve();
    for (const { run_id } of [first, second]) await (await client.get(`${runs}/${run_id}/join`)).text();
    const { next, values } = await stateOf(client, threadId);
    expect([next, values.messages.filter(({ type }) => type === 'tool').length]).toEqual([['tools'], 1]);
    expect(test.model.requests).toHaveLength(2);
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({ status: 'interrupted' });
    // Nor is it reported as one.
    const told = await toldOf(client, threadId, 2);
    expect(told(first.run_id, 'input.answered')).toHaveLength(1);
    expect(told(second.run_id, 'lifecycle')).toHaveLength(2);
    expect(told(second.run_id, 'input.answered')).toEqual([]);
  });
});

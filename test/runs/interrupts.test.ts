// A run that waits for a person: approvals, breakpoints, commands, and earlier checkpoints
// (docs/contract/runs.md#questions-to-the-person).
import { afterEach, describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import {
  jsonOf,
  type MessageJson,
  type RunJson,
  type StateJson,
  type ValuesJson,
} from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';
import { command, MODES, stateOf, write } from './waiting-run.ts';

let test: TestService;
afterEach(() => test.close());

const open = async (agent: Record<string, unknown> = {}): Promise<HttpClient> => {
  test = await openTestService({ config: { agent } });
  return test.user();
};
const contents = (messages: readonly MessageJson[]) =>
  messages.map(({ type, content }) => `${type}: ${content}`);

describe('approval', () => {
  it('[hitl.approve] asks before the tool runs, waits without a model call, and continues after approval', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    test.model.enqueue(answer.toolCalls([write('a.md', 'x', 'c1')]), answer.text('Written'));
    const frames = await streamed(client, threadId, question('note x', { stream_mode: MODES }));
    const asked = dataOf<{ __interrupt__?: { id: string; value: unknown }[] }>(frames, 'values').at(
      -1,
    )?.__interrupt__;
    expect(asked).toMatchObject([
      {
        id: expect.any(String),
        value: {
          action_requests: [{ name: 'write_file', args: { content: 'x' } }],
          review_configs: [{ action_name: 'write_file', allowed_decisions: ['approve', 'edit', 'reject'] }],
        },
      },
    ]);
    expect(dataOf(frames, 'updates').at(-1)).toEqual({ __interrupt__: asked });
    const waiting = await stateOf(client, threadId);
    expect(waiting.next).toEqual(['tools']);
    expect(waiting.tasks).toMatchObject([{ name: 'tools', interrupts: asked }]);
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({
      status: 'interrupted',
      interrupts: { [waiting.tasks[0]?.id ?? '']: asked },
    });
    expect(test.model.requests).toHaveLength(1);
    await streamed(client, threadId, command({ resume: { decisions: [{ type: 'approve' }] } }));
    const state = await stateOf(client, threadId);
    expect(contents(state.values.messages)).toEqual(['human: note x', 'ai: ', 'tool: OK', 'ai: Written']);
    expect([state.next, state.tasks]).toEqual([[], []]);
  });

  it('[runs.wait.interrupted] shows the question to clients that wait or join, and only while it is open', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    const path = `/api/graph/threads/${threadId}/runs`;
    test.model.enqueue(answer.toolCalls([write('a.md', 'x', 'c1')]), answer.text('Written'));
    type Values = ValuesJson & { readonly __interrupt__?: readonly unknown[] };
    const waited = await jsonOf<Values>(client.post(`${path}/wait`, question('note x')));
    const { tasks } = await stateOf(client, threadId);
    expect(tasks[0]?.interrupts).toHaveLength(1);
    expect(waited.__interrupt__).toEqual(tasks[0]?.interrupts);
    const [run] = (await jsonOf<{ runs: RunJson[] }>(client.get(path))).runs;
    expect(await jsonOf(client.get(`${path}/${run?.run_id}/join`))).toEqual(waited);
    const resume = command({ resume: { decisions: [{ type: 'approve' }] } });
    const resumed = await jsonOf<Values>(client.post(`${path}/wait`, resume));
    expect(resumed.messages.at(-1)?.content).toBe('Written');
    expect(resumed).not.toHaveProperty('__interrupt__');
    test.model.enqueue(answer.text('Hello'));
    const stopped = await jsonOf<Values>(
      client.post(`${path}/wait`, question('again', { interrupt_before: ['model'] })),
    );
    expect(stopped.__interrupt__).toEqual([]);
  });

  it('[runs.resume.choices] resumes with the choices of the run that asked, unless the request has others', async () => {
    const scripted = { when_thinking_enabled: { deep: true } };
    test = await openTestService({ config: { agent: { approvals: { write_file: 'always' } } }, scripted });
    const client = await test.user();
    const threadId = await newThread(client);
    const path = `/api/graph/threads/${threadId}/runs/wait`;
    const chosen = { model_name: 'scripted', thinking_enabled: false, is_plan_mode: true };
    const latest = async () =>
      (await jsonOf<{ runs: { kwargs: object }[] }>(client.get(`/api/threads/${threadId}/runs`))).runs[0]
        ?.kwargs;
    const deep = () => test.model.requests.at(-1)?.body.deep;
    const resume = { resume: { decisions: [{ type: 'approve' }] } };
    for (const id of ['c1', 'c2', 'c3']) test.model.enqueue(answer.toolCalls([write('a.md', 'x', id)]));
    test.model.enqueue(answer.text('Written'), answer.text('Hello'));
    await jsonOf(client.post(path, question('note x', { config: { configurable: chosen } })));
    await jsonOf(client.post(path, command(resume)));
    expect([await latest(), deep()]).toEqual([expect.objectContaining(chosen), undefined]);
    // A state update in between belongs to no run.
    await client.post(`/api/threads/${threadId}/state`, { values: { title: 'note' } });
    await jsonOf(client.post(path, command(resume)));
    expect([await latest(), deep()]).toEqual([expect.objectContaining(chosen), undefined]);
    await jsonOf(client.post(path, command(resume, { context: { thinking_enabled: true } })));
    expect([await latest(), deep()]).toEqual([
      expect.objectContaining({ ...chosen, thinking_enabled: true }),
      true,
    ]);
    await jsonOf(client.post(path, question('hi')));
    expect(await latest()).toMatchObject({ thinking_enabled: true, is_plan_mode: false });
    expect(await latest()).not.toHaveProperty('model_name');
  });

  it('[hitl.edit] runs with the arguments that the person edited, and the reply shows them', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    test.model.enqueue(
      answer.toolCalls([write('a.md', 'x', 'c1')]),
      answer.toolCalls([
        { id: 'c2', name: 'read_file', args: { description: 'look', path: '/mnt/user-data/workspace/b.md' } },
      ]),
      answer.text('Done'),
    );
    await streamed(client, threadId, question('note x'));
    const edited = write('b.md', 'edited', 'c1').args;
    const decisions = [{ type: 'edit', edited_action: { name: 'write_file', args: edited } }];
    const resumed = command({ resume: { decisions } }, { stream_mode: ['events'] });
    const events = dataOf<{ event: string; data: object }>(
      await streamed(client, threadId, resumed),
      'events',
    );
    expect(events.find(({ event }) => event === 'on_tool_start')).toMatchObject({ data: { input: edited } });
    const { messages } = (await stateOf(client, threadId)).values;
    expect(messages[1]?.tool_calls?.[0]?.args).toEqual(edited);
    expect(messages[4]?.content).toContain('edited');
  });

  it('[hitl.reject] sends the model the reason and runs nothing', async () => {
    const client = await open({ approvals: { write_file: 'always' } });
    const threadId = await newThread(client);
    test.model.enqueue(
      answer.toolCalls([
        write('a.md', 'x', 'c1'),
        { id: 'c2', name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } },
      ]),
      answer.text('Then not'),
    );
    await streamed(client, threadId, question('note x'));
    await streamed(
      client,
      threadId,
      command({ resume: { decisions: [{ type: 'reject', message: 'not this file' }] } }),
    );
    const { messages } = (await stateOf(client, threadId)).values;
    expect(messages.slice(2, 4)).toMatchObject([
      { name: 'write_file', status: 'error', content: expect.stringContaining('not this file') },
      { name: 'ls', status: 'success', content: expect.not.stringContaining('a.md') },
    ]);
  });

  it('[hitl.once] once_per_thread asks once; an answer of another form makes it ask again', async () => {
    const client = await open({ approvals: { write_file: 'once_per_thread' } });
    const threadId = await newThread(client);
    test.model.enqueue(
      answer.toolCalls([write('a.md', 'x', 'c1')]),
      answer.toolCalls([write('b.md', 'y', 'c2')]),
      answer.text('Both'),
    );
    await streamed(client, threadId, question('note x and y'));
    await streamed(client, threadId, command({ resume: 'yes, do' }));
    const again = await stateOf(client, threadId);
    expect(again.tasks[0]?.interrupts).toMatchObject([{ value: { problem: expect.any(String) } }]);
    const [asked] = again.tasks[0]?.interrupts ?? [];
    await streamed(client, threadId, command({ resume: { [asked?.id ?? '']: [{ type: 'approve' }] } }));
    expect((await stateOf(client, threadId)).values.messages.at(-1)?.content).toBe('Both');
  });

  it('[hitl.nothing] nothing to resume is 409, and a foreign thread is 404', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('Hello'));
    await streamed(client, threadId, question('hi'));
    const refused = await client.post(`/api/graph/threads/${threadId}/runs/stream`, command({ resume: 'x' }));
    expect(refused.status).toBe(409);
    const stranger = await test.user();
    expect(
      (await stranger.post(`/api/graph/threads/${threadId}/runs/stream`, command({ resume: 'x' }))).status,
    ).toBe(404);
  });
});

describe('breakpoints and commands', () => {
  it('[hitl.breakpoints] interrupt_before and interrupt_after stop at the node; null input continues', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.enqueue(answer.toolCalls([write('a.md', 'x', 'c1')]), answer.text('Written'));
    await streamed(client, threadId, question('note x', { interrupt_before: ['tools'] }));
    const before = await stateOf(client, threadId);
    expect([before.next, before.tasks.map(({ name }) => name)]).toEqual([['tools'], ['tools']]);
    const [run] = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${threadId}/runs?limit=1`));
    expect(run).toMatchObject({ status: 'interrupted', stop_reason: 'awaiting_input' });
    await streamed(client, threadId, { assistant_id: 'lead_agent', input: null, interrupt_after: '*' });
    const after = await stateOf(client, threadId);
    expect([after.next, after.values.messages.at(-1)?.content]).toEqual([['model'], 'OK']);
    await streamed(client, threadId, { assistant_id: 'lead_agent', input: null });
    const done = await stateOf(client, threadId);
    expect([done.next, done.values.messages.at(-1)?.content]).toEqual([[], 'Written']);
    expect(test.model.requests).toHaveLength(2);
  });

  it('[hitl.commands] update changes the state, goto chooses the node, and unknown fields and nodes are refused', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('one'), answer.text('two'));
    await streamed(client, threadId, question('hi'));
    const update = { messages: [{ role: 'user', content: 'and then?' }], title: 'Chosen' };
    await streamed(client, threadId, command({ update, goto: 'model' }));
    const state = await stateOf(client, threadId);
    expect(contents(state.values.messages)).toEqual(['human: hi', 'ai: one', 'human: and then?', 'ai: two']);
    expect(state.values.title).toBe('Chosen');
    await streamed(client, threadId, command({ update: [['title', 'Ended']], goto: '__end__' }));
    const ended = await stateOf(client, threadId);
    expect([ended.next, ended.values.title, ended.values.messages.length]).toEqual([[], 'Ended', 4]);
    for (const bad of [{ goto: 'nowhere' }, { update: { approved_tools: ['x'] } }, { update: 7 }]) {
      expect((await client.post(`/api/graph/threads/${threadId}/runs/stream`, command(bad))).status).toBe(
        422,
      );
    }
  });
});

describe('going back', () => {
  it('[travel.branch] a run from an older checkpoint makes a branch; nothing is overwritten', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    await streamed(client, threadId, question('one'));
    await streamed(client, threadId, question('two'));
    const history = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, { limit: 50 }),
    );
    const afterOne = history.find(({ values }) => values.messages.at(-1)?.content === 're one');
    const checkpoint = { checkpoint_id: afterOne?.checkpoint?.checkpoint_id };
    await streamed(client, threadId, question('two, edited', { checkpoint }));
    const head = await stateOf(client, threadId);
    expect(head.values.messages.map(({ content }) => content)).toEqual([
      'one',
      're one',
      'two, edited',
      're two, edited',
    ]);
    const later = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, { limit: 50 }),
    );
    expect(later.slice(-history.length).map(({ values }) => values)).toEqual(
      history.map(({ values }) => values),
    );
    const children = later.filter(
      ({ parent_checkpoint }) => parent_checkpoint?.checkpoint_id === checkpoint.checkpoint_id,
    );
    expect(children).toHaveLength(2);
  });

  it('[travel.regenerate] null input at the checkpoint before a reply writes that reply again', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('first try'), answer.text('second try'));
    await streamed(client, threadId, question('one'));
    const history = await jsonOf<StateJson[]>(
      client.post(`/api/graph/threads/${threadId}/history`, { limit: 50 }),
    );
    const before = history.find(({ values, next }) => values.messages.length === 1 && next[0] === 'model');
    const body = {
      assistant_id: 'lead_agent',
      input: null,
      checkpoint_id: before?.checkpoint?.checkpoint_id,
    };
    const values = await jsonOf<ValuesJson>(client.post(`/api/graph/threads/${threadId}/runs/wait`, body));
    expect(values.messages.map(({ content }) => content)).toEqual(['one', 'second try']);
  });

  it('[travel.head] the head as checkpoint is like none; an unknown one is 404', async () => {
    const client = await open();
    const threadId = await newThread(client);
    test.model.onRequest(() => answer.text('ok'));
    await streamed(client, threadId, question('one'));
    const { checkpoint } = await stateOf(client, threadId);
    await streamed(
      client,
      threadId,
      question('two', { checkpoint: { ...checkpoint, checkpoint_map: null } }),
    );
    expect((await stateOf(client, threadId)).values.messages).toHaveLength(4);
    const path = `/api/graph/threads/${threadId}/runs/stream`;
    expect((await client.post(path, question('three', { checkpoint_id: 'nothing' }))).status).toBe(404);
  });
});

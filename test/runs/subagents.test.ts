// Sub-agents: one task each, with their own state and limits (docs/contract/agent.md#sub-agents).

import { describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { ownTime } from '../support/own-time.ts';
import { runOf } from '../support/run-stream.ts';
import {
  delegated,
  lastContents,
  ls,
  messagesOf,
  oneTask,
  scriptedClients,
  task,
  taskOf,
  taskProgress,
  toolNames,
} from '../support/scripted-subagents.ts';
import { newThread, question } from '../support/service.ts';
import { dataOf, framesOf, type TestFrame } from '../support/sse.ts';

const { open, service } = scriptedClients();

describe('task', () => {
  it("[subagents.task] gives its prompt to a sub-agent, and the sub-agent's last message to the caller", async () => {
    const client = await open(oneTask(), {
      'do c1': [answer.toolCalls([ls('s1')], { text: 'Looking' }), answer.text('It is empty')],
    });
    const { threadId } = await delegated(client);
    expect(await lastContents(client, threadId)).toEqual([
      'human: delegate',
      'ai: ',
      'tool: It is empty',
      'ai: All done',
    ]);
    const [, first, second] = service().model.requests;
    expect(first && messagesOf(first).slice(1)).toEqual([{ role: 'user', content: 'do c1' }]);
    expect(
      second &&
        messagesOf(second)
          .slice(1)
          .map(({ role }) => role),
    ).toEqual(['user', 'assistant', 'tool']);
  });

  it('[subagents.tools] leaves a sub-agent without questions and sub-agents', async () => {
    const client = await open(oneTask(), { 'do c1': [answer.text('done')] });
    await delegated(client);
    const [lead, subagent] = service().model.requests.map(toolNames);
    const onlyLead = ['task', 'ask_clarification', 'present_files'];
    expect(lead).toEqual(expect.arrayContaining([...onlyLead, 'read_file']));
    expect(subagent).toEqual(lead?.filter((name) => !onlyLead.includes(name)));
  });

  it.each([
    ['by the run', {}, { config: { configurable: { subagent_enabled: false } } }],
    ['by the configuration', { agent: { subagents: { enabled: false } } }, {}],
  ])('[subagents.off] is switched off %s', async (_by, config, fields) => {
    const client = await open([answer.text('alone')], {}, config);
    await delegated(client, fields);
    expect(service().model.requests.map(toolNames)).toEqual([expect.not.arrayContaining(['task'])]);
  });

  it('[subagents.off] is there when the run requests it, whatever the configuration says', async () => {
    const client = await open([answer.text('hi')], {}, { agent: { subagents: { enabled: false } } });
    await delegated(client, { config: { configurable: { subagent_enabled: true } } });
    expect(service().model.requests.map(toolNames)).toEqual([expect.arrayContaining(['task'])]);
  });

  it('[subagents.failure] reports to the agent why a sub-agent failed, and the run continues', async () => {
    const client = await open(oneTask(), { 'do c1': [answer.unauthorized()] });
    const { threadId, frames } = await delegated(client, { stream_mode: ['custom'] });
    expect((await lastContents(client, threadId)).slice(2)).toEqual([
      expect.stringMatching(/^tool: Error: the sub-agent failed: /),
      'ai: All done',
    ]);
    expect(taskProgress(frames)).toEqual(['task_started c1', 'task_failed c1']);
  });

  it('[subagents.limits] ends at its step limit with the text so far, or as a failure', async () => {
    const client = await open(
      [answer.toolCalls([task('c1'), task('c2')]), answer.text('All done')],
      {
        'do c1': [answer.toolCalls([ls('s1')], { text: 'So far' }), answer.text('never asked')],
        'do c2': [answer.toolCalls([ls('s2')]), answer.text('never asked')],
      },
      { agent: { subagents: { recursion_limit: 2 } } },
    );
    const { threadId } = await delegated(client);
    expect((await lastContents(client, threadId)).slice(2, 4)).toEqual([
      'tool: So far',
      expect.stringMatching(/^tool: Error: the sub-agent failed: The run was stopped after 2 steps/),
    ]);
    const state = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.filter(({ type }) => type === 'tool')).toEqual([
      expect.objectContaining({ artifact: told('completed', 1) }),
      expect.objectContaining({ artifact: told('failed', 1) }),
    ]);
  });

  it('[subagents.limits] stops when its time is over, and the run continues', async () => {
    const client = await open(
      oneTask(),
      { 'do c1': [answer.hangMidStream('half')] },
      { agent: { subagents: { timeout_seconds: 0.2 } } },
    );
    const { threadId, frames } = await delegated(client, { stream_mode: ['custom'] });
    expect((await lastContents(client, threadId)).slice(2)).toEqual([
      'tool: Error: the sub-agent was stopped: it did not finish within 0.2 seconds.',
      'ai: All done',
    ]);
    expect(taskProgress(frames).at(-1)).toBe('task_timed_out c1');
  });
});

/** The progress of a sub-agent as clients see it, besides its text. */
function told(status: string, steps: number) {
  return { subagent: { type: 'general-purpose', status, steps } };
}

describe('several', () => {
  it('[subagents.parallel] work at the same time, as many as configured, and the others wait', async () => {
    const gate = Promise.withResolvers<void>();
    const held = answer.script(step.until(gate.promise), step.text('ok'), step.finish(), step.done());
    const client = await open(
      [answer.toolCalls([task('c1'), task('c2'), task('c3')]), answer.text('All done')],
      { 'do c1': [held], 'do c2': [held], 'do c3': [answer.text('third')] },
      { agent: { subagents: { max_concurrent: 2 } } },
    );
    const threadId = await newThread(client);
    const stream = client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('delegate', { stream_mode: ['custom'] }),
    );
    await service().model.requested(3);
    const frames: TestFrame[] = [];
    let isReleased = false;
    for await (const frame of framesOf(await stream)) {
      frames.push(frame);
      if (!isReleased && taskProgress(frames).length === 2) {
        // The third one waits until one of the first two is done.
        expect(taskProgress(frames)).toEqual(['task_started c1', 'task_started c2']);
        expect(service().model.requests).toHaveLength(3);
        isReleased = true;
        gate.resolve();
      }
    }
    expect(taskProgress(frames)).toContain('task_completed c3');
    expect((await lastContents(client, threadId)).slice(2, 5)).toEqual([
      'tool: ok',
      'tool: ok',
      'tool: third',
    ]);
  });

  it('[subagents.depth] work inside one another, as deep as configured', async () => {
    const client = await open(
      oneTask(),
      {
        'do c1': [answer.toolCalls([task('c2', 'deeper')]), answer.text('outer done')],
        deeper: [answer.text('inner done')],
      },
      { agent: { subagents: { max_depth: 2 } } },
    );
    const { threadId, frames } = await delegated(client, {
      stream_mode: ['values', 'custom'],
      stream_subgraphs: true,
    });
    expect((await lastContents(client, threadId))[2]).toBe('tool: outer done');
    expect(service().model.requests.map((it) => toolNames(it).includes('task'))).toEqual([
      true,
      true,
      false,
      true,
      true,
    ]);
    const inner = dataOf<StateJson['values']>(frames, 'values|tools:c1|tools:c2').at(-1);
    expect(inner?.messages.map(({ content }) => content)).toEqual(['deeper', 'inner done']);
  });
});

describe('cancellation', () => {
  it('[runs.cancel] [fault.F41] in a sub-agent stops its model call, and every call has one result', async () => {
    const client = await open([answer.toolCalls([task('c1'), task('c2')])], {
      'do c1': [answer.hangMidStream('half')],
      'do c2': [answer.text('done')],
    });
    const threadId = await newThread(client);
    const response = await client.post(
      `/api/graph/threads/${threadId}/runs/stream`,
      question('delegate', { stream_mode: ['custom'] }),
    );
    const frames: TestFrame[] = [];
    let took: (() => number) | undefined;
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (took !== undefined || !taskProgress(frames).includes('task_completed c2')) continue;
      took = ownTime();
      await client.post(`/api/graph/threads/${threadId}/runs/${runOf(frames)}/cancel`);
    }
    expect(took?.()).toBeLessThan(1_000);
    expect(taskProgress(frames).at(-1)).toBe('task_cancelled c1');
    const first = service().model.requests.find((it) => taskOf(it) === 'do c1');
    expect(await first?.ended).toBe('client_left');
    expect((await lastContents(client, threadId)).slice(2)).toEqual([
      'tool: Error: the run was cancelled before the sub-agent had finished.',
      'tool: done',
    ]);
  });
});

describe('the record', () => {
  it('[subagents.record.task] shows the events of one sub-agent of a run, page by page', async () => {
    const lead = [answer.toolCalls([task('c1'), task('c2')]), answer.text('All done')];
    const client = await open(lead, {
      'do c1': [answer.text('one')],
      'do c2': [answer.toolCalls([ls('s1')], { text: 'Looking' }), answer.text('two')],
    });
    const { threadId, frames } = await delegated(client);
    interface Event {
      readonly seq: number;
      readonly event_type: string;
      readonly metadata: { readonly namespace: string };
    }
    const path = `/api/threads/${threadId}/runs/${runOf(frames)}/events?task_id=c2`;
    const eventsOf = (query: string) => jsonOf<Event[]>(client.get(`${path}${query}`));
    const all = await eventsOf('');
    expect(all.map(({ event_type }) => event_type)).toEqual([
      'subagent_start',
      'subagent_step',
      'subagent_step',
      'subagent_step',
      'subagent_end',
    ]);
    expect(new Set(all.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['tools:c2']));
    expect(await eventsOf('&limit=2')).toEqual(all.slice(-2));
    expect(await eventsOf(`&limit=2&before_seq=${all[3]?.seq}`)).toEqual(all.slice(1, 3));
    expect(await eventsOf(`&limit=2&after_seq=${all[0]?.seq}`)).toEqual(all.slice(1, 3));
    expect(await eventsOf('&event_types=subagent_end,llm_response')).toEqual(all.slice(-1));
    expect(await jsonOf(client.get(path.replace('task_id=c2', 'task_id=c3')))).toEqual([]);
  });

  it('[subagents.record] has the task, its steps and its end, and counts its tokens apart', async () => {
    const client = await open(oneTask(), {
      'do c1': [answer.toolCalls([ls('s1')], { text: 'Looking' }), answer.text('It is empty')],
    });
    const { threadId, frames } = await delegated(client);
    const runId = runOf(frames);
    const user = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
    const { storage } = service().service;
    const { events } = await storage
      .as(user.id)
      .runEvents.list(threadId, { runId, cursor: { kind: 'newest' }, limit: 200 });
    const ofSubagent = events.filter(({ category }) => category === 'subagent');
    expect(ofSubagent.map(({ eventType }) => eventType)).toEqual([
      'subagent_start',
      'subagent_step',
      'subagent_step',
      'subagent_step',
      'subagent_end',
    ]);
    expect(ofSubagent[0]).toMatchObject({
      content: 'do c1',
      metadata: { task_id: 'c1', subagent: 'general-purpose' },
    });
    expect(ofSubagent.at(-1)).toMatchObject({ content: 'It is empty', metadata: { status: 'completed' } });
    const calls = events.filter(({ eventType }) => eventType === 'llm_response');
    expect(calls.map(({ metadata }) => metadata.caller)).toEqual([
      'lead_agent',
      'subagent:general-purpose',
      'subagent:general-purpose',
      'lead_agent',
    ]);
    expect(calls.map(({ metadata }) => metadata.llm_call_index)).toEqual([1, 2, 3, 4]);
    const run = await jsonOf<RunJson>(client.get(`/api/graph/threads/${threadId}/runs/${runId}`));
    expect(run).toMatchObject({
      lead_agent_tokens: 30,
      subagent_tokens: 30,
      total_tokens: 60,
      llm_call_count: 4,
    });
    expect(events.filter(({ eventType }) => eventType === 'ai_message')).toHaveLength(1);
  });

  it("[subagents.history] lists a namespace's checkpoints by checkpoint_ns, and only there", async () => {
    const client = await open(oneTask(), { 'do c1': [answer.text('done')] });
    const { threadId } = await delegated(client);
    const history = (body: object) =>
      jsonOf<(StateJson & { checkpoint: { checkpoint_ns: string } })[]>(
        client.post(`/api/graph/threads/${threadId}/history`, body),
      );
    const own = await history({ limit: 100 });
    expect(new Set(own.map(({ checkpoint }) => checkpoint.checkpoint_ns))).toEqual(new Set(['']));
    const inner = await history({ limit: 1, checkpoint: { checkpoint_ns: 'tools:c1' } });
    expect(inner).toHaveLength(1);
    expect(inner[0]?.values.messages.map(({ content }) => content)).toEqual(['do c1', 'done']);
  });
});

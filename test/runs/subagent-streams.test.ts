// Sub-agents in the streams of a run, in its history, and when the person is asked (docs/contract/streaming.md#sub-agents).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFramePruner } from '../../src/runs/record/old-runs.ts';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import type { StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { runOf } from '../support/run-stream.ts';
import {
  delegated,
  lastContents,
  lookAndAnswer,
  ls,
  oneTask,
  openScripted,
  scriptedClients,
  task,
  taskOf,
} from '../support/scripted-subagents.ts';
import { streamed } from '../support/service.ts';
import { allFrames, dataOf } from '../support/sse.ts';

const { open, service } = scriptedClients();

describe('streams', () => {
  it('[subagents.stream] [subagents.progress] show sub-agents in their namespace on request', async () => {
    const client = await open(oneTask(), { 'do c1': lookAndAnswer() });
    const { threadId, frames } = await delegated(client, {
      stream_mode: ['values', 'messages-tuple', 'updates', 'custom'],
      stream_subgraphs: true,
    });
    const inner = dataOf<[{ type: string; content: string }, { langgraph_checkpoint_ns: string }]>(
      frames,
      'messages|tools:c1',
    );
    const texts = inner.filter(([{ type }]) => type === 'AIMessageChunk').map(([{ content }]) => content);
    expect(texts.join('')).toBe('LookingIt is empty');
    expect(new Set(inner.map(([, metadata]) => metadata.langgraph_checkpoint_ns))).toEqual(
      new Set(['tools:c1']),
    );
    const values = dataOf<StateJson['values']>(frames, 'values|tools:c1');
    expect(values.map(({ messages }) => messages.length)).toEqual([1, 2, 3, 4]);
    expect(values.at(-1)?.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
    expect(dataOf<object>(frames, 'updates|tools:c1').map((it) => Object.keys(it))).toEqual([
      ['model'],
      ['tools'],
      ['model'],
    ]);
    const again = await client.get(`/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`);
    expect(await allFrames(again)).toEqual(frames);
  });

  it('[subagents.stream] [subagents.progress] show only their progress otherwise', async () => {
    const client = await open(oneTask(), { 'do c1': lookAndAnswer() });
    const { frames } = await delegated(client, { stream_mode: ['values', 'messages-tuple', 'custom'] });
    expect(new Set(frames.map(({ event }) => event))).toEqual(
      new Set(['metadata', 'values', 'messages', 'custom', 'end']),
    );
    expect(JSON.stringify(dataOf(frames, 'messages'))).not.toContain('Looking');
    expect(dataOf(frames, 'custom')).toMatchObject([
      { type: 'task_started', task_id: 'c1', description: 'Task c1' },
      { type: 'task_running', message: { type: 'ai', content: 'Looking' }, message_index: 1 },
      { type: 'task_running', message: { type: 'tool' }, message_index: 2, total_messages: 2 },
      { type: 'task_running', message: { type: 'ai', content: 'It is empty' }, message_index: 3 },
      { type: 'task_completed', task_id: 'c1', result: 'It is empty' },
    ]);
  });

  it('[subagents.modes] every mode has its frames in the namespace', async () => {
    const client = await open(oneTask(), { 'do c1': lookAndAnswer() });
    const modes = ['values', 'updates', 'messages-tuple', 'events', 'debug', 'tasks', 'checkpoints'];
    const { frames } = await delegated(client, { stream_mode: modes, stream_subgraphs: true });
    const inner = frames.flatMap(({ event }) => (event.includes('|') ? [event.split('|')[0]] : []));
    expect(new Set(inner)).toEqual(
      new Set(['values', 'updates', 'messages', 'debug', 'tasks', 'checkpoints']),
    );
    // As the peer does, events name their agent in their metadata.
    const events = dataOf<{ event: string; metadata: { langgraph_checkpoint_ns: string } }>(frames, 'events');
    const ofTask = events.filter(({ metadata }) => metadata.langgraph_checkpoint_ns === 'tools:c1');
    expect(ofTask.at(0)).toMatchObject({ event: 'on_chain_start', name: 'LangGraph', run_id: 'tools:c1' });
    expect(ofTask.at(-1)).toMatchObject({ event: 'on_chain_end', name: 'LangGraph', run_id: 'tools:c1' });
    const checkpoints = dataOf<{ config: { configurable: { checkpoint_ns: string } } }>(
      frames,
      'checkpoints|tools:c1',
    );
    expect(new Set(checkpoints.map(({ config }) => config.configurable.checkpoint_ns))).toEqual(
      new Set(['tools:c1']),
    );
  });

  it('[subagents.retention] show whole messages of sub-agents after the retention time', async () => {
    const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
    const options = { dataHome, config: { database: { url: `sqlite:${dataHome}/service.db` } } };
    let test = await openScripted(oneTask(), { 'do c1': lookAndAnswer() }, options);
    const modes = { stream_mode: ['values', 'messages-tuple'], stream_subgraphs: true };
    const { threadId, frames } = await delegated(await test.user('ada'), modes);
    const retention = test.service.storage.frameRetention;
    const now = () => Date.now() + 60_000;
    const upkeep = createUpkeep({ log: QUIET_LOG });
    await upkeep.add(createFramePruner({ retention, retentionMs: 1, now })).wake();
    await test.close();
    // The new process has nothing in memory.
    test = await openScripted([], {}, options);
    const client = await test.user('ada');
    const path = `/api/graph/threads/${threadId}/runs/${runOf(frames)}/stream`;
    const replay = await allFrames(await client.get(path));
    const answers = dataOf<[{ type: string; content: string }]>(replay, 'messages|tools:c1')
      .filter(([{ type }]) => type === 'ai')
      .map(([{ content }]) => content);
    expect(answers).toEqual(['Looking', 'It is empty']);
    expect(dataOf(replay, 'values|tools:c1')).toEqual(dataOf(frames, 'values|tools:c1'));
    await test.close();
    await rm(dataHome, { recursive: true, force: true });
  });
});

describe('approval', () => {
  const write = (id: string) => ({
    id,
    name: 'write_file',
    args: { description: 'note', path: `/mnt/user-data/workspace/${id}.md`, content: 'x' },
  });

  it('[subagents.approval.order] asks in the order of the tasks, whichever asks first', async () => {
    const client = await open(
      [answer.toolCalls([task('c1'), task('c2')]), answer.text('All done')],
      {
        'do c1': [answer.toolCalls([ls('s1')]), answer.toolCalls([write('late')])],
        'do c2': [answer.toolCalls([write('early')])],
      },
      { agent: { approvals: { write_file: 'always' } } },
    );
    const { frames } = await delegated(client, { stream_mode: ['values'], stream_subgraphs: true });
    const asked = dataOf<{ __interrupt__?: { namespace: string[] }[] }>(frames, 'values').at(-1);
    expect(asked?.__interrupt__?.map(({ namespace }) => namespace)).toEqual([['tools:c1'], ['tools:c2']]);
  });

  it('[subagents.approval] asks the person, and the sub-agent continues where it stopped', async () => {
    const client = await open(
      [answer.toolCalls([task('c1'), task('c2')]), answer.text('All done')],
      {
        'do c1': [answer.toolCalls([ls('s1')]), answer.toolCalls([write('s2')]), answer.text('Written')],
        'do c2': [answer.text('second')],
      },
      { agent: { approvals: { write_file: 'always' } } },
    );
    const { threadId, frames } = await delegated(client, { stream_mode: ['values'], stream_subgraphs: true });
    const asked = dataOf<{ __interrupt__?: { value: unknown }[] }>(frames, 'values').at(-1)?.__interrupt__;
    expect(asked).toMatchObject([
      { namespace: ['tools:c1'], value: { action_requests: [{ name: 'write_file' }] } },
    ]);
    const before = service().model.requests.length;
    const rest = await streamed(client, threadId, {
      assistant_id: 'lead_agent',
      input: null,
      command: { resume: { decisions: [{ type: 'approve' }] } },
      stream_mode: ['values'],
      stream_subgraphs: true,
    });
    expect((await lastContents(client, threadId)).slice(2)).toEqual([
      'tool: second',
      'tool: Written',
      'ai: All done',
    ]);
    // One reply of the sub-agent and one of the lead agent: no call is repeated.
    expect(service().model.requests.slice(before).map(taskOf)).toEqual(['do c1', '']);
    const inner = dataOf<StateJson['values']>(rest, 'values|tools:c1');
    expect(inner.map(({ messages }) => messages.length)).toEqual([5, 6]);
  });
});

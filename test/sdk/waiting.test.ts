// Runs that wait for a person, and branches, as the official client goes on with them.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import { openServedService, type ServedService } from '../websocket/served.ts';
import {
  ask,
  collected,
  openSdkUser,
  SDK_VERSIONS,
  type SdkUser,
  type State,
  textsOf,
} from './official-client.ts';

const AGENT = 'lead_agent';
const write = (content: string) => ({
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content },
});

let service: ServedService;
beforeAll(async () => {
  service = await openServedService({ config: { agent: { approvals: { write_file: 'always' } } } });
});
afterAll(() => service.close());

describe.each(SDK_VERSIONS)('waiting with SDK $version', (version) => {
  let user: SdkUser;
  let threadId: string;
  beforeEach(async () => {
    service.model.reset();
    user = await openSdkUser(service, version);
    threadId = (await user.client.threads.create()).thread_id;
  });
  const state = () => user.client.threads.getState<State>(threadId);

  it('[sdk.waiting.resume] shows the question in the stream, the state and the thread, and continues', async () => {
    const { runs, threads } = user.client;
    service.model.enqueue(answer.toolCalls([write('x')]), answer.text('Written'));
    const parts = await collected(
      runs.stream(threadId, AGENT, { input: ask('note x'), streamMode: 'values' }),
    );
    const shown = parts.findLast(({ event }) => event === 'values')?.data as { __interrupt__?: unknown[] };
    expect(shown.__interrupt__).toMatchObject([
      { id: expect.any(String), value: { action_requests: [{ name: 'write_file' }] } },
    ]);
    const waiting = await state();
    expect(waiting.next).toEqual(['tools']);
    expect(waiting.tasks).toMatchObject([{ name: 'tools', error: null, interrupts: shown.__interrupt__ }]);
    const [task] = waiting.tasks;
    expect(await threads.get(threadId)).toMatchObject({
      status: 'interrupted',
      interrupts: { [task?.id ?? '']: shown.__interrupt__ },
    });
    expect(await threads.search({ status: 'interrupted' })).toMatchObject([{ thread_id: threadId }]);
    const values = await runs.wait(threadId, AGENT, {
      command: { resume: { decisions: [{ type: 'approve' }] } },
    });
    expect(textsOf(values as State)).toEqual(['human: note x', 'ai: ', 'tool: OK', 'ai: Written']);
    expect(await state()).toMatchObject({ next: [], tasks: [] });
    expect((await threads.get(threadId)).status).toBe('idle');
  });

  it('[sdk.waiting.by-id] accepts answers by the id of the interrupt, and returns 409 without an open one', async () => {
    const { runs } = user.client;
    service.model.enqueue(answer.toolCalls([write('x')]), answer.text('I leave it'));
    await runs.wait(threadId, AGENT, { input: ask('note x') });
    const [task] = (await state()).tasks;
    const id = task?.interrupts[0]?.id ?? '';
    await runs.wait(threadId, AGENT, {
      command: { resume: { [id]: { decisions: [{ type: 'reject', message: 'not now' }] } } },
    });
    const { values } = await state();
    expect(values.messages.at(-2)?.content).toContain('They said: not now');
    expect(values.messages.at(-1)?.content).toBe('I leave it');
    const again = runs.wait(threadId, AGENT, { command: { resume: 'x' } });
    await expect(again).rejects.toMatchObject({ status: 409 });
  });

  it('[sdk.waiting.breakpoints] stops before and after nodes, and continues with null input', async () => {
    const { runs } = user.client;
    const look = { name: 'list_files', args: { description: 'look', path: '/mnt/user-data/workspace' } };
    service.model.enqueue(answer.toolCalls([look]), answer.text('Nothing there'));
    await runs.wait(threadId, AGENT, { input: ask('look'), interruptBefore: ['tools'] });
    expect(await state()).toMatchObject({ next: ['tools'], tasks: [{ name: 'tools', interrupts: [] }] });
    await runs.wait(threadId, AGENT, { input: null, interruptAfter: '*' });
    expect((await state()).next).toEqual(['model']);
    await runs.wait(threadId, AGENT, { input: null });
    expect((await state()).next).toEqual([]);
    expect((await state()).values.messages.at(-1)?.content).toBe('Nothing there');
  });

  it('[sdk.waiting.commands] command.update changes the state, command.goto chooses the node', async () => {
    const { runs } = user.client;
    service.model.enqueue(answer.text('one'), answer.text('two'));
    await runs.wait(threadId, AGENT, { input: ask('hi') });
    const update = { messages: [{ type: 'human', content: 'and then?' }], title: 'Chosen' };
    const values = await runs.wait(threadId, AGENT, { command: { update, goto: 'model' } });
    expect(textsOf(values as State)).toEqual(['human: hi', 'ai: one', 'human: and then?', 'ai: two']);
    expect(values).toMatchObject({ title: 'Chosen' });
  });

  it('[sdk.branch] a run from an older checkpoint edits, and with null input regenerates', async () => {
    const { runs, threads } = user.client;
    service.model.enqueue(answer.text('first'), answer.text('edited'), answer.text('anew'));
    await runs.wait(threadId, AGENT, { input: ask('one') });
    const history = await threads.getHistory<State>(threadId, { limit: 50 });
    const asked = history.find(({ values, next }) => values.messages.length === 1 && next[0] === 'model');
    const [original] = asked?.values.messages ?? [];
    const edited = await collected(
      runs.stream(threadId, AGENT, {
        input: { messages: [{ id: original?.id, type: 'human', content: 'one, edited' }] },
        ...(asked && { checkpoint: asked.checkpoint }),
        streamMode: 'values',
      }),
    );
    const last = edited.findLast(({ event }) => event === 'values')?.data as State;
    expect(textsOf(last)).toEqual(['human: one, edited', 'ai: edited']);
    const anew = await runs.wait(threadId, AGENT, {
      input: null,
      checkpointId: asked?.checkpoint.checkpoint_id ?? '',
    });
    expect(textsOf(anew as State)).toEqual(['human: one', 'ai: anew']);
    const later = await threads.getHistory<State>(threadId, { limit: 50 });
    expect(later.slice(-history.length)).toEqual(history);
    const missing = runs.wait(threadId, AGENT, { input: ask('x'), checkpointId: crypto.randomUUID() });
    await expect(missing).rejects.toMatchObject({ status: 404 });
  });

  it('[sdk.branch.first] the history begins before the first message, so that it can be edited, too', async () => {
    const { runs, threads } = user.client;
    service.model.enqueue(answer.text('first'), answer.text('edited'));
    await runs.wait(threadId, AGENT, { input: ask('one') });
    const start = (await threads.getHistory<State>(threadId, { limit: 50 })).at(-1);
    expect(start).toMatchObject({
      values: { messages: [] },
      next: ['__start__'],
      metadata: { step: -1, source: 'input' },
      parent_checkpoint: null,
    });
    const checkpointId = start?.checkpoint.checkpoint_id ?? '';
    const values = await runs.wait(threadId, AGENT, { input: ask('one, edited'), checkpointId });
    expect(textsOf(values as State)).toEqual(['human: one, edited', 'ai: edited']);
    const nothing = runs.wait(threadId, AGENT, { input: null, checkpointId });
    await expect(nothing).rejects.toMatchObject({ status: 422 });
    const answered = runs.wait(threadId, AGENT, { command: { resume: 1 }, checkpointId });
    await expect(answered).rejects.toMatchObject({ status: 409 });
  });
});

// Waiting runs and deleted threads under kill -9 and races (fault.F10, F40, F46).
import { afterEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { runOf } from '../support/run-stream.ts';
import { newThread, question } from '../support/service.ts';
import { type FaultService, receive, startFaultService } from './fault-service.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'kept' },
};

let service: FaultService;
afterEach(() => service.remove());

describe('kill -9', () => {
  it('[runs.recovery.waiting] [fault.F10] a run that waits for approval still waits, costs nothing, and can be approved', async () => {
    service = await startFaultService({ agent: { approvals: { write_file: 'always' } } });
    const threadId = await newThread(service.client);
    const path = `/api/graph/threads/${threadId}`;
    service.model.enqueue(answer.toolCalls([write]), answer.text('Written'));
    const shown = await receive(
      await service.client.post(`${path}/runs/stream`, question('note it')),
      () => false,
    );
    const before = await jsonOf<StateJson>(service.client.get(`${path}/state`));
    await service.process.kill();
    await service.process.restart();
    expect(await jsonOf<StateJson>(service.client.get(`${path}/state`))).toEqual(before);
    expect(before.next).toEqual(['tools']);
    // A reader that reconnects with any earlier id resumes there.
    const runId = runOf(shown);
    for (const [index, { id }] of shown.entries()) {
      const rest = await service.client.get(`${path}/runs/${runId}/stream`, { 'last-event-id': id });
      expect(await receive(rest, () => false)).toEqual(shown.slice(index + 1));
    }
    const run = await jsonOf<RunJson>(service.client.get(`${path}/runs/${runId}`));
    expect(run).toMatchObject({ status: 'interrupted', stop_reason: 'awaiting_input', attempt: 1 });
    expect(service.model.requests).toHaveLength(1);
    const resume = { assistant_id: 'lead_agent', command: { resume: { decisions: [{ type: 'approve' }] } } };
    await receive(await service.client.post(`${path}/runs/stream`, resume), () => false);
    const after = await jsonOf<StateJson>(service.client.get(`${path}/state`));
    expect(after.values.messages.map(({ content }) => content)).toEqual(['note it', '', 'OK', 'Written']);
  });

  it('[runs.recovery.idempotent] [fault.F40] a retry after the lost response to a run is the same run', async () => {
    service = await startFaultService();
    const threadId = await newThread(service.client);
    const path = `/api/graph/threads/${threadId}/runs`;
    const key = { 'idempotency-key': 'one' };
    service.model.onRequest(() => answer.hangMidStream('words'));
    const first = await jsonOf<RunJson>(service.client.post(path, question('hi'), key));
    await service.process.kill();
    service.model.onRequest(() => answer.text('whole'));
    await service.process.restart();
    const again = await jsonOf<RunJson>(service.client.post(path, question('hi'), key));
    expect(again.run_id).toBe(first.run_id);
    await service.client.get(`${path}/${first.run_id}/join`).then((it) => it.text());
    const state = await jsonOf<StateJson>(service.client.get(`/api/graph/threads/${threadId}/state`));
    expect(state.values.messages.map(({ content }) => content)).toEqual(['hi', 'whole']);
  });
});

describe('deleting a thread', () => {
  it('[threads.delete.streaming] [fault.F46] while it streams, with force: the stream ends and nothing of it returns', async () => {
    service = await startFaultService();
    const threadId = await newThread(service.client);
    service.model.onRequest(() => answer.hangMidStream('some words'));
    const path = `/api/graph/threads/${threadId}`;
    const response = await service.client.post(
      `${path}/runs/stream`,
      question('hi', { stream_mode: ['messages-tuple'] }),
    );
    let deleted: Promise<Response> | undefined;
    const frames = await receive(response, (it) => {
      if (it.at(-1)?.event === 'messages') deleted ??= service.client.delete(`${path}?force=true`);
      return false;
    });
    expect(frames.at(-1)?.event).toBe('end');
    expect((await deleted)?.status).toBe(204);
    expect((await service.client.delete(path)).status).toBe(404);
    expect((await service.client.get(`${path}/state`)).status).toBe(404);
    const found = await jsonOf<unknown[]>(service.client.post('/api/threads/search', {}));
    expect(found).toEqual([]);
  });
});

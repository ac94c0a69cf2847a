// The service as an MCP server, as the official client uses it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeKey } from '../support/api-key.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { halfAnAnswer } from '../support/model-server/half-an-answer.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { connectMcp, type McpConnection } from './mcp-client.ts';

const REPORT = '/mnt/user-data/outputs/report.md';

let service: TestService;
let ann: HttpClient;
let mcp: McpConnection;
beforeAll(async () => {
  service = await openTestService({
    config: { agent: { approvals: { str_replace: 'always' } } },
  });
  ann = await service.user('ann');
  mcp = await connectMcp(service, (await makeKey(ann)).key);
});
afterEach(() => service.model.reset());
afterAll(() => service.close());

/** A run that has ended with these words of the model. */
async function said(text: string, fields: Record<string, unknown> = {}) {
  service.model.enqueue(answer.text(text));
  return mcp.call('start_run', { message: 'hello', wait_seconds: 30, ...fields });
}

/** A thread in which the agent has written a file. */
async function withReport(content: string): Promise<string> {
  service.model.enqueue(
    answer.toolCalls([{ name: 'write_file', args: { path: REPORT, content } }]),
    answer.text('It is written.'),
  );
  const run = await mcp.call('start_run', { message: 'write it', wait_seconds: 30 });
  expect(run).toMatchObject({ status: 'success', answer: 'It is written.' });
  return String(run.thread_id);
}

describe('a client', () => {
  it('[mcp-server.connect] finds the tools, by either way to begin', async () => {
    const { key } = await makeKey(ann);
    const newest = await connectMcp(service, key, { mode: 'auto' });
    expect(newest.client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
    expect(mcp.client.getNegotiatedProtocolVersion()).toMatch(/^2025-/);
    for (const { client } of [mcp, newest]) {
      expect(client.getServerVersion()).toMatchObject({ name: 'agent-service', title: 'Agent Service' });
      expect(client.getInstructions()).toContain('start_run');
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).toEqual([
        'cancel_run',
        'get_run',
        'list_agents',
        'list_artifacts',
        'list_threads',
        'read_artifact',
        'read_thread',
        'start_run',
      ]);
      const start = tools.find(({ name }) => name === 'start_run');
      expect(Object.keys(start?.inputSchema.properties ?? {})).toEqual(
        expect.arrayContaining(['message', 'thread_id', 'model', 'wait_seconds']),
      );
      expect(start?.annotations).toMatchObject({ readOnlyHint: false });
    }
    expect(await newest.call('list_agents')).toEqual(await mcp.call('list_agents'));
  });

  it('[mcp-server.agents] learns which agents and models there are', async () => {
    expect(await mcp.call('list_agents')).toMatchObject({
      agents: [{ name: 'lead_agent' }],
      models: [{ name: 'scripted', supports_thinking: true }],
    });
  });
});

describe('a run', () => {
  it('[mcp-server.run] is started, waited for, and continued in its thread', async () => {
    const first = await said('Good morning.');
    expect(first).toMatchObject({ status: 'success', stop_reason: 'completed', answer: 'Good morning.' });
    const second = await said('Good night.', { thread_id: first.thread_id, model: 'scripted' });
    expect(second).toMatchObject({ thread_id: first.thread_id, answer: 'Good night.' });
    expect(await mcp.call('get_run', { run_id: first.run_id })).toEqual(first);
    const messages = JSON.stringify(service.model.requests.at(-1)?.body.messages);
    expect(messages).toContain('Good morning.');
  });

  it('[mcp-server.run] is polled while it is active', async () => {
    const { goOn } = halfAnAnswer(service.model);
    const started = await mcp.call('start_run', { message: 'hello' });
    expect(started).toMatchObject({ answer: null, hint: expect.stringContaining('get_run') });
    await service.model.requested(1);
    expect(await mcp.call('get_run', { run_id: started.run_id })).toMatchObject({ status: 'running' });
    const waiting = await mcp.call('get_run', { run_id: started.run_id, wait_seconds: 1 });
    expect(waiting).toMatchObject({ status: 'running', finished_at: null });
    goOn();
    const ended = await mcp.call('get_run', { run_id: started.run_id, wait_seconds: 30 });
    expect(ended).toMatchObject({ status: 'success', answer: 'one two three' });
  });

  it('[mcp-server.progress] is sent to a client that asks for it', async () => {
    service.model.enqueue(
      answer.toolCalls([{ name: 'ls', args: { path: '/mnt/user-data/outputs' } }]),
      answer.text('Nothing there.'),
    );
    const heard: { progress: number; message?: string | undefined }[] = [];
    await mcp.call(
      'start_run',
      { message: 'look', wait_seconds: 30 },
      { onprogress: (it) => heard.push(it) },
    );
    expect(heard.map(({ message }) => message)).toEqual(expect.arrayContaining(['ls has answered.']));
    expect(heard.map(({ progress }) => progress)).toEqual(heard.map((_, index) => index + 1));
  });

  it.each([
    ['by initialize', undefined],
    ['by the newest revision', { mode: 'auto' }],
  ] as const)('[mcp-server.cancel-wait] goes on when its client cancels the call: %s', async (_, begin) => {
    const { client } = await connectMcp(service, (await makeKey(ann)).key, begin);
    const { goOn } = halfAnAnswer(service.model);
    const { run_id } = await mcp.call('start_run', { message: 'hello' });
    await service.model.requested(1);
    const given = new AbortController();
    const heard = Promise.withResolvers<void>();
    const wait = client.callTool(
      { name: 'get_run', arguments: { run_id, wait_seconds: 600 } },
      { signal: given.signal, onprogress: () => heard.resolve() },
    );
    await heard.promise;
    given.abort();
    await expect(wait).rejects.toThrow();
    // Whoever waited holds no stream any more: others may have all of them.
    expect(await mcp.call('get_run', { run_id })).toMatchObject({ status: 'running' });
    goOn();
    expect(await mcp.call('get_run', { run_id, wait_seconds: 30 })).toMatchObject({ status: 'success' });
  });

  it('[mcp-server.cancel-run] is cancelled, and its text so far stays', async () => {
    halfAnAnswer(service.model);
    const { run_id, thread_id } = await mcp.call('start_run', { message: 'hello' });
    await service.model.requested(1);
    await mcp.call('cancel_run', { run_id });
    const ended = await mcp.call('get_run', { run_id, wait_seconds: 30 });
    expect(ended).toMatchObject({ status: 'interrupted', stop_reason: 'interrupted_by_user' });
    expect(await mcp.call('read_thread', { thread_id })).toMatchObject({ thread: { status: 'interrupted' } });
    expect(await mcp.call('cancel_run', { run_id })).toMatchObject({ status: 'interrupted' });
  });

  it('[mcp-server.questions] asks for permission, and gets it', async () => {
    const threadId = await withReport('tea');
    service.model.enqueue(
      answer.toolCalls([{ name: 'str_replace', args: { path: REPORT, old_str: 'tea', new_str: 'honey' } }]),
      answer.text('Changed.'),
    );
    const asked = await mcp.call('start_run', { message: 'honey', thread_id: threadId, wait_seconds: 30 });
    expect(asked).toMatchObject({
      status: 'interrupted',
      stop_reason: 'awaiting_input',
      questions: [{ value: { action_requests: [{ name: 'str_replace' }] } }],
      hint: expect.stringContaining('answer'),
    });
    const answered = await mcp.call('start_run', {
      thread_id: threadId,
      answer: { decisions: [{ type: 'approve' }] },
      wait_seconds: 30,
    });
    expect(answered).toMatchObject({ status: 'success', answer: 'Changed.' });
    const { content } = await mcp.raw('read_artifact', { thread_id: threadId, path: REPORT });
    expect(content).toEqual([{ type: 'text', text: 'honey' }]);
    expect(
      await mcp.refusal('start_run', { thread_id: threadId, answer: { decisions: [{ type: 'approve' }] } }),
    ).toContain('nothing to resume');
  });

  it('[mcp-server.repeated] is the same when its call comes again', async () => {
    const first = await said('Once.', { idempotency_key: 'order-7' });
    expect(await mcp.call('start_run', { message: 'hello', idempotency_key: 'order-7' })).toEqual(first);
    const { thread_id } = first;
    expect(await mcp.call('start_run', { message: 'hello', idempotency_key: 'order-7', thread_id })).toEqual(
      first,
    );
    expect(service.model.requests).toHaveLength(1);
  });

  it('[mcp-server.run] is refused in a sentence where it makes no sense', async () => {
    expect(await mcp.refusal('start_run', {})).toContain('Give a message, or an answer');
    expect(await mcp.refusal('start_run', { message: 'a', answer: 'b' })).toContain('one of the two');
    expect(await mcp.refusal('start_run', { message: 'a', model: 'gpt-9' })).toContain('list_agents');
    expect(await mcp.refusal('start_run', { message: 'a', agent: 'nobody' })).toBe('Assistant not found');
    expect(await mcp.refusal('start_run', { message: 'a', thread_id: 'absent' })).toBe('Thread not found');
    expect(await mcp.refusal('get_run', { run_id: 'absent' })).toBe('Run not found');
    const { goOn } = halfAnAnswer(service.model);
    const { thread_id, run_id } = await mcp.call('start_run', { message: 'hello' });
    await service.model.requested(1);
    expect(await mcp.refusal('start_run', { message: 'too soon', thread_id })).toContain('run');
    goOn();
    await mcp.call('get_run', { run_id, wait_seconds: 30 });
  });
});

describe('a thread', () => {
  it('[mcp-server.thread] is read page by page, with what tools were asked and answered', async () => {
    const thread_id = await withReport('x'.repeat(11_000));
    const whole = await mcp.call('read_thread', { thread_id });
    expect(whole).toMatchObject({
      thread: { thread_id, status: 'idle' },
      messages: [
        { role: 'user', text: 'write it' },
        { role: 'assistant', tool_calls: [{ name: 'write_file' }] },
        { role: 'tool', tool: 'write_file' },
        { role: 'assistant', text: 'It is written.' },
      ],
      next_before_seq: null,
    });
    // Arguments that are long are cut.
    expect(JSON.stringify(whole).length).toBeLessThan(6_000);
    const newest = await mcp.call('read_thread', { thread_id, limit: 1 });
    expect(newest).toMatchObject({ messages: [{ text: 'It is written.' }] });
    const older = await mcp.call('read_thread', { thread_id, limit: 50, before_seq: newest.next_before_seq });
    expect(older).toMatchObject({ messages: [{ text: 'write it' }, {}, {}], next_before_seq: null });
  });

  it('[mcp-server.thread] cuts long texts', async () => {
    const { thread_id, answer: text } = await said('é'.repeat(20_000));
    expect(text).toHaveLength(20_000);
    const { messages } = await mcp.call('read_thread', { thread_id });
    expect(messages).toMatchObject([{}, { text: 'é'.repeat(10_000), text_is_cut: true }]);
  });

  it('[mcp-server.thread] is listed, those that changed last first', async () => {
    const { thread_id: older } = await said('a');
    const { thread_id: newer } = await said('b');
    const listed = await mcp.call('list_threads', { limit: 2 });
    expect(listed).toMatchObject({ threads: [{ thread_id: newer }, { thread_id: older }] });
    expect(await mcp.call('list_threads', { limit: 1, offset: 1 })).toMatchObject({
      threads: [{ thread_id: older }],
      total: listed.total,
    });
  });
});

describe('a file', () => {
  const outputs = (userId: string, threadId: string) =>
    join(service.dataHome, 'users', userId, 'threads', threadId, 'user-data', 'outputs');

  it('[mcp-server.artifacts] is listed, and read by a tool and as a resource', async () => {
    const thread_id = await withReport('# Tea & honey');
    const uri = `thread://${thread_id}${REPORT}`;
    expect(await mcp.call('list_artifacts', { thread_id })).toMatchObject({
      artifacts: [{ path: REPORT, size: 13, uri }],
      total: 1,
      complete: true,
    });
    expect(await mcp.call('list_artifacts', { thread_id, offset: 1 })).toMatchObject({ artifacts: [] });
    const { content } = await mcp.raw('read_artifact', { thread_id, path: REPORT });
    expect(content).toEqual([{ type: 'text', text: '# Tea & honey' }]);
    expect(await mcp.client.readResource({ uri })).toMatchObject({
      contents: [{ uri, mimeType: 'text/markdown', text: '# Tea & honey' }],
    });
    const { resourceTemplates } = await mcp.client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: 'thread://{thread_id}/{+path}' }]);
    expect((await mcp.client.listResources()).resources).toEqual([]);
  });

  it('[mcp-server.artifacts] that is no text comes in base64, an image as an image, a large one by its address', async () => {
    const thread_id = await withReport('x');
    const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
    const folder = outputs(id, thread_id);
    const pixel = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    await writeFile(join(folder, 'a b ü.png'), pixel);
    await writeFile(join(folder, 'data.bin'), Buffer.from([0, 255, 1]));
    await writeFile(join(folder, 'empty.txt'), '');
    await writeFile(join(folder, 'large.bin'), Buffer.alloc(1_048_577));
    const read = async (name: string) =>
      (await mcp.raw('read_artifact', { thread_id, path: `/mnt/user-data/outputs/${name}` })).content;
    const data = pixel.toString('base64');
    expect(await read('a b ü.png')).toEqual([{ type: 'image', mimeType: 'image/png', data }]);
    expect(await read('data.bin')).toMatchObject([{ type: 'resource', resource: { blob: 'AP8B' } }]);
    expect(await read('empty.txt')).toEqual([{ type: 'text', text: '' }]);
    expect(await read('large.bin')).toMatchObject([
      {
        text: expect.stringContaining(`/api/threads/${thread_id}/artifacts/mnt/user-data/outputs/large.bin`),
      },
    ]);
    const { artifacts } = await mcp.call('list_artifacts', { thread_id, limit: 1 });
    expect(artifacts).toMatchObject([{ path: '/mnt/user-data/outputs/a b ü.png' }]);
    const uri = `thread://${thread_id}/mnt/user-data/outputs/a%20b%20%C3%BC.png`;
    expect(artifacts).toMatchObject([{ uri }]);
    expect(await mcp.client.readResource({ uri })).toMatchObject({ contents: [{ blob: data }] });
  });

  it('[mcp-server.artifacts] that is not there, or no path, is refused in a sentence', async () => {
    const thread_id = await withReport('x');
    for (const path of [
      '/mnt/user-data/outputs/none.md',
      '/mnt/user-data/outputs/../../../etc/passwd',
      '/etc/passwd',
    ])
      expect([path, await mcp.refusal('read_artifact', { thread_id, path })]).toEqual([
        path,
        expect.stringMatching(/not found|path/i),
      ]);
    for (const path of ['/mnt/user-data/outputs/none.md', '/%ff', '/etc/passwd'])
      await expect(mcp.client.readResource({ uri: `thread://${thread_id}${path}` })).rejects.toThrow(
        /not found|path/i,
      );
    await expect(mcp.client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(/not found/i);
  });
});

it('[mcp-server.run] is the same to those who use HTTP', async () => {
  const { run_id, thread_id } = await said('Shared.');
  const run = await jsonOf<RunJson>(ann.get(`/api/threads/${thread_id}/runs/${run_id}`));
  expect(run).toMatchObject({ status: 'success', assistant_id: 'lead_agent' });
});

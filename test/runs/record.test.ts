// The events of a run in the record (docs/contract/record.md#events).
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunEventRecord } from '../../src/storage/run-events.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { lastRun, usageDays } from '../support/usage.ts';

let test: TestService;
beforeEach(async () => {
  test = await openTestService({ config: { runs: { trace_limit_bytes: 1_024 } } });
});
afterEach(() => test.close());

async function recordOf(client: HttpClient, threadId: string): Promise<readonly RunEventRecord[]> {
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  const { runEvents } = test.service.storage.as(id);
  return (await runEvents.list(threadId, { cursor: { kind: 'newest' }, limit: 500 })).events;
}

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'x' },
};

describe('the record of a run', () => {
  it('[events.catalogue] holds every event with its type, category and metadata, in order', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.toolCalls([write]), answer.text('Written'));
    await streamed(client, threadId, question('note it'));
    const record = await recordOf(client, threadId);
    expect(record.map(({ seq }) => seq)).toEqual(record.map((_, index) => index + 1));
    expect(record.map(({ eventType, category }) => `${category} ${eventType}`)).toEqual([
      'message human_message',
      'lifecycle run_start',
      'middleware middleware:title',
      'trace llm_request',
      'trace llm_response',
      'message ai_tool_call',
      'trace tool_start',
      'trace tool_end',
      'message tool_result',
      'trace llm_request',
      'trace llm_response',
      'message ai_message',
      'lifecycle run_end',
    ]);
    const of = (type: string) => record.filter(({ eventType }) => eventType === type);
    expect(of('ai_tool_call')[0]).toMatchObject({
      metadata: { finish_reason: 'tool_calls', model_name: 'scripted' },
    });
    expect(of('ai_message')[0]).toMatchObject({
      content: { type: 'ai', content: 'Written' },
      metadata: { finish_reason: 'stop' },
    });
    expect(of('tool_result')[0]).toMatchObject({
      content: { type: 'tool', name: 'write_file', status: 'success', content: 'OK' },
    });
    expect(of('llm_request').map(({ metadata }) => [metadata.caller, metadata.llm_call_index])).toEqual([
      ['lead_agent', 1],
      ['lead_agent', 2],
    ]);
    expect(of('llm_response')[1]).toMatchObject({
      content: {
        object: 'chat.completion',
        created: expect.closeTo(Date.now() / 1_000, -2),
        choices: [{ index: 0, message: { role: 'assistant', content: 'Written' }, finish_reason: 'stop' }],
      },
      metadata: {
        llm_call_index: 2,
        usage: { total_tokens: expect.any(Number) },
        latency_ms: expect.any(Number),
      },
    });
    expect(of('run_end')[0]?.metadata).toMatchObject({ status: 'success', stop_reason: 'completed' });
  });

  it('[events.truncation] cuts trace content at the limit in bytes, on a character, and marks it', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.text('ok'));
    await streamed(client, threadId, question('é€😀'.repeat(400)));
    const [request] = (await recordOf(client, threadId)).filter(
      ({ eventType }) => eventType === 'llm_request',
    );
    expect(typeof request?.content).toBe('string');
    const bytes = Buffer.byteLength(String(request?.content));
    expect(bytes).toBeLessThanOrEqual(1_024);
    expect(bytes).toBeGreaterThan(1_020);
    expect(String(request?.content)).not.toContain('\uFFFD');
    expect(request?.metadata).toMatchObject({
      content_truncated: true,
      original_byte_length: expect.any(Number),
    });
    expect(Number(request?.metadata.original_byte_length)).toBeGreaterThan(3_600);
  });

  it('[events.human] holds the question once, before the run was running, whatever happened to the run', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    const gate = Promise.withResolvers<void>();
    test.model.onRequest(async () => {
      await gate.promise;
      return answer.text('one');
    });
    await client.post(`/api/graph/threads/${threadId}/runs`, question('first'));
    const queued = await jsonOf<{ run_id: string }>(
      client.post(`/api/graph/threads/${threadId}/runs`, question('second')),
    );
    const humans = async () =>
      (await recordOf(client, threadId)).filter(({ eventType }) => eventType === 'human_message');
    expect((await humans()).at(-1)).toMatchObject({
      runId: queued.run_id,
      content: { content: 'second', type: 'human' },
    });
    gate.resolve();
    await client.get(`/api/graph/threads/${threadId}/runs/${queued.run_id}/join`).then((it) => it.text());
    expect(await humans()).toHaveLength(2);
  });
});

describe('a title model', () => {
  const titled = {
    models: [
      { name: 'scripted', provider: 'openai-compatible', model: 'scripted-1' },
      { name: 'titles', provider: 'openai-compatible', model: 'titles-1' },
    ],
    agent: { title_model: 'titles' },
  };

  async function open(): Promise<TestService> {
    await test.close();
    const probe = await openTestService();
    const models = titled.models.map((model) => ({ ...model, base_url: probe.model.url }));
    const opened = await openTestService({ config: { ...titled, models } });
    return {
      ...opened,
      model: probe.model,
      close: () => Promise.all([opened.close(), probe.close()]).then(() => {}),
    };
  }

  const isTitleRequest = (body: Readonly<Record<string, unknown>>): boolean => body.model === 'titles-1';

  it('[agent.title.model] writes the title beside the reply, counted apart from the lead agent', async () => {
    test = await open();
    const client = await test.user();
    const threadId = await newThread(client);
    const written = Promise.withResolvers<void>();
    test.model.onRequest(async ({ body }) => {
      if (isTitleRequest(body)) return answer.text('"Notes about files."');
      await written.promise;
      return answer.text('Hello');
    });
    const running = streamed(
      client,
      threadId,
      question('please write some notes', { stream_mode: ['values'] }),
    );
    await test.model.requested(2);
    await test.model.requests.find(({ body }) => isTitleRequest(body))?.ended;
    setImmediate(() => setImmediate(written.resolve));
    await running;
    expect(await jsonOf(client.get(`/api/threads/${threadId}`))).toMatchObject({
      values: { title: 'Notes about files' },
    });
    const [run] = await jsonOf<Record<string, unknown>[]>(
      client.get(`/api/threads/${threadId}/runs?limit=1`),
    );
    expect(run).toMatchObject({ middleware_tokens: 15, lead_agent_tokens: 15, llm_call_count: 2 });
    const record = await recordOf(client, threadId);
    expect(record.filter(({ eventType }) => eventType === 'ai_message')).toHaveLength(1);
    expect(record.filter(({ metadata }) => metadata.caller === 'middleware:title')).toHaveLength(2);
  });

  it('[agent.title.late] never delays the end: a title that comes later is set afterwards', async () => {
    test = await open();
    const client = await test.user();
    const threadId = await newThread(client);
    const gate = Promise.withResolvers<void>();
    test.model.onRequest(async ({ body }) => {
      if (!isTitleRequest(body)) return answer.text('Hello');
      await gate.promise;
      return answer.text('A late title');
    });
    const frames = await streamed(client, threadId, question('please write some notes'));
    expect(frames.at(-1)?.event).toBe('end');
    const title = async () =>
      (await jsonOf<{ values: { title: string } }>(client.get(`/api/threads/${threadId}`))).values.title;
    expect(await title()).toBe('please write some notes');
    gate.resolve();
    await expect.poll(title).toBe('A late title');
  });

  it('[usage.late] counts its call with the run that it belongs to', async () => {
    test = await open();
    const client = await test.user();
    const threadId = await newThread(client);
    const gate = Promise.withResolvers<void>();
    test.model.onRequest(async ({ body }) => {
      if (!isTitleRequest(body)) return answer.text('Hello');
      await gate.promise;
      return answer.text('...');
    });
    await streamed(client, threadId, question('please write some notes'));
    expect(await lastRun(client, threadId)).toMatchObject({ total_tokens: 15, middleware_tokens: 0 });
    gate.resolve();
    const counted = { total_tokens: 30, middleware_tokens: 15, llm_call_count: 2, status: 'success' };
    await expect.poll(() => lastRun(client, threadId)).toMatchObject(counted);
    expect((await usageDays(client)).total).toMatchObject({ tokens: 30, calls: 2 });
    const calls = (await recordOf(client, threadId)).filter(({ eventType }) => eventType.startsWith('llm_'));
    expect(calls.map(({ eventType, metadata }) => [eventType, metadata.llm_call_index])).toEqual([
      ['llm_request', 1],
      ['llm_response', 1],
      ['llm_request', 2],
      ['llm_response', 2],
    ]);
  });
});

describe('the models', () => {
  it('[models.routes] are listed and shown one by one, without a secret', async () => {
    const client = await test.user();
    const list = await client.get('/api/models');
    const text = await list.text();
    expect(JSON.parse(text)).toEqual({
      models: [
        {
          name: 'scripted',
          display_name: expect.any(String),
          description: null,
          supports_thinking: true,
          supports_vision: false,
        },
      ],
    });
    const detail = await (await client.get('/api/models/scripted')).text();
    expect(JSON.parse(detail)).toMatchObject({
      name: 'scripted',
      model: 'scripted-1',
      max_tokens: null,
    });
    expect(text + detail).not.toContain('CANARY');
    expect((await client.get('/api/models/nothing')).status).toBe(404);
    expect((await test.client().get('/api/models')).status).toBe(401);
  });

  it('[models.routes] show the maximum reply length where it is configured', async () => {
    await test.close();
    test = await openTestService({ scripted: { max_tokens: 500 } });
    const client = await test.user();
    expect(await jsonOf(client.get('/api/models/scripted'))).toMatchObject({ max_tokens: 500 });
  });
});

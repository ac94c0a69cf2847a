// Anthropic, Google and DeepSeek: a streamed reply in their own protocols, and what the next turn sends back
// to them.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aiMessage, humanMessage, type Message, toolMessage } from '../../src/messages/message.ts';
import type { Model, ModelFinish, ToolSpec } from '../../src/models/model.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { modelError, type Outcome, outcomeOf, testModel } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const READ: ToolSpec = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
};
const ARGS = { path: '/mnt/user-data/workspace/a.md' };

/** Returns the thread as the agent stores it after this reply and the result of its call. */
function threadAfter(outcome: Outcome): Message[] {
  const { text, reasoning, finish } = outcome;
  const [call] = finish?.toolCalls ?? [];
  if (finish === undefined || call === undefined) throw new Error('the answer has no tool call');
  const additional_kwargs = {
    reasoning_content: reasoning,
    ...(finish.providerMetadata === undefined ? {} : { provider_metadata: finish.providerMetadata }),
  };
  return [
    humanMessage('h1', 'read a.md'),
    aiMessage('a1', text, { tool_calls: [call], additional_kwargs }),
    toolMessage('t1', call, { content: 'the file' }),
  ];
}

/** Runs one turn with this reply, and returns the request body of the next one. */
async function twoTurns(model: Model, first: Answer, messages?: readonly Message[]) {
  server.enqueue(first, first);
  const outcome = await outcomeOf(model, {
    messages: messages ?? [humanMessage('h1', 'read a.md')],
    tools: [READ],
  });
  if (outcome.error !== undefined) throw outcome.error;
  await outcomeOf(model, { messages: threadAfter(outcome), tools: [READ] });
  return { outcome, first: server.requests[0]?.body ?? {}, next: server.requests[1]?.body ?? {} };
}

function calls(finish: ModelFinish | undefined) {
  return finish?.toolCalls.map(({ name, args }) => ({ name, args }));
}

describe('anthropic', () => {
  const event = (type: string, fields: object) => step.event({ type, ...fields }, type);
  const delta = (index: number, fields: object) => event('content_block_delta', { index, delta: fields });
  const block = (index: number, fields: object) =>
    event('content_block_start', { index, content_block: fields });
  const stop = (index: number) => event('content_block_stop', { index });
  const usage = {
    input_tokens: 40,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 5,
    output_tokens: 1,
  };

  const thinkingThenCall = answer.script(
    event('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage,
      },
    }),
    block(0, { type: 'thinking', thinking: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'I should ' }),
    delta(0, { type: 'thinking_delta', thinking: 'read it.' }),
    delta(0, { type: 'signature_delta', signature: 'sig-123' }),
    stop(0),
    block(1, { type: 'text', text: '' }),
    delta(1, { type: 'text_delta', text: 'Reading.' }),
    stop(1),
    block(2, { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: {} }),
    delta(2, { type: 'input_json_delta', partial_json: '{"path":"/mnt/user' }),
    delta(2, { type: 'input_json_delta', partial_json: '-data/workspace/a.md"}' }),
    stop(2),
    event('message_delta', {
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 25 },
    }),
    event('message_stop', {}),
  );
  const model = () =>
    testModel({
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      base_url: server.url,
      supports_thinking: true,
    });

  it('[models.provider.anthropic] streams reasoning, text and a call, and gets its signed reasoning back', async () => {
    const { outcome, first, next } = await twoTurns(model(), thinkingThenCall);
    expect(outcome).toMatchObject({ text: 'Reading.', reasoning: 'I should read it.' });
    expect(calls(outcome.finish)).toEqual([{ name: 'read_file', args: ARGS }]);
    expect(outcome.finish?.usage).toMatchObject({
      input_tokens: 105,
      output_tokens: 25,
      input_token_details: { cache_read: 60, cache_creation: 5 },
    });
    expect(server.requests[0]?.path).toBe('/v1/messages');
    expect(server.requests[0]?.headers['x-api-key']).toBe('sk-test-canary-key');
    expect(first).toMatchObject({
      system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'read_file', input_schema: READ.inputSchema }],
    });
    expect(next.messages).toMatchObject([
      { role: 'user', content: [{ type: 'text', text: 'read a.md' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should read it.', signature: 'sig-123' },
          { type: 'text', text: 'Reading.' },
          { type: 'tool_use', id: 'toolu_1', name: 'read_file', input: ARGS },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'the file' }] },
    ]);
  });

  it('[models.prompt.provider-switch] [fault.F53] reasoning of another provider is not sent', async () => {
    const [human, ai, tool] = threadAfter((await twoTurns(model(), thinkingThenCall)).outcome);
    if (human === undefined || ai?.type !== 'ai' || tool === undefined) throw new Error('no thread');
    const foreign = { ...ai, additional_kwargs: { reasoning_content: 'Elsewhere.' } };
    server.reset();
    server.enqueue(thinkingThenCall);
    await outcomeOf(model(), { messages: [human, foreign, tool], tools: [READ] });
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('Elsewhere.');
  });

  it('[models.error.kinds] overload in the stream before the reply is retried, an unfinished reply is broken', async () => {
    const overloaded = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
    server.enqueue(answer.overloaded(), answer.script(overloaded), thinkingThenCall);
    const outcome = await outcomeOf(testModel({ provider: 'anthropic', base_url: server.url }), {
      tools: [READ],
    });
    expect(outcome.error).toBeUndefined();
    expect(server.requests).toHaveLength(3);
    const { steps } = thinkingThenCall.kind === 'stream' ? thinkingThenCall : { steps: [] };
    server.enqueue(answer.script(...steps.slice(0, 8)));
    const cut = await outcomeOf(testModel({ provider: 'anthropic', base_url: server.url }));
    expect(cut.text).toBe('Reading.');
    expect(modelError(cut).kind).toBe('broken_stream');
  });
});

describe('google', () => {
  const chunk = (parts: readonly object[], fields: object = {}) =>
    step.event({ candidates: [{ index: 0, content: { role: 'model', parts }, ...fields }], ...USAGE });
  const USAGE = {
    usageMetadata: {
      promptTokenCount: 30,
      candidatesTokenCount: 8,
      thoughtsTokenCount: 4,
      cachedContentTokenCount: 10,
      totalTokenCount: 42,
    },
  };
  const thoughtThenCall = answer.script(
    chunk([{ text: 'I should read it.', thought: true }]),
    chunk([{ text: 'Reading.' }]),
    chunk([{ functionCall: { name: 'read_file', args: ARGS }, thoughtSignature: 'sig-g' }]),
    chunk([{ text: '' }], { finishReason: 'STOP' }),
  );

  it('[models.provider.google] streams thoughts, text and a call, and gets the signature of the call back', async () => {
    const model = testModel({ provider: 'google', model: 'gemini-3-flash-preview', base_url: server.url });
    const { outcome, first, next } = await twoTurns(model, thoughtThenCall);
    expect(outcome).toMatchObject({ text: 'Reading.', reasoning: 'I should read it.' });
    expect(outcome.finish?.finishReason).toBe('tool_calls');
    expect(calls(outcome.finish)).toEqual([{ name: 'read_file', args: ARGS }]);
    expect(outcome.finish?.usage).toMatchObject({
      input_tokens: 30,
      output_tokens: 12,
      input_token_details: { cache_read: 10 },
      output_token_details: { reasoning: 4 },
    });
    expect(server.requests[0]?.path).toContain('/models/gemini-3-flash-preview:streamGenerateContent');
    expect(first).toMatchObject({ systemInstruction: { parts: [{ text: 'Be brief.' }] } });
    expect(next.contents).toMatchObject([
      { role: 'user', parts: [{ text: 'read a.md' }] },
      {
        role: 'model',
        parts: [
          { text: 'Reading.' },
          { functionCall: { name: 'read_file', args: ARGS }, thoughtSignature: 'sig-g' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'read_file' } }] },
    ]);
  });

  it('[models.error.broken-stream] a reply that ends without a finish reason', async () => {
    server.enqueue(answer.script(chunk([{ text: 'half' }])));
    const outcome = await outcomeOf(testModel({ provider: 'google', base_url: server.url }));
    expect(outcome.text).toBe('half');
    expect(modelError(outcome).kind).toBe('broken_stream');
  });
});

describe('deepseek', () => {
  it('[models.provider.deepseek] streams reasoning and a call, and gets the reasoning back', async () => {
    const model = testModel({ provider: 'deepseek', model: 'deepseek-v4-flash', base_url: server.url });
    const reasoned = answer.script(
      step.reasoning('I should '),
      step.reasoning('read it.'),
      step.text('Reading.'),
      step.callPiece({ index: 0, id: 'call_d', name: 'read_file', args: JSON.stringify(ARGS) }),
      step.finish('tool_calls'),
      step.done(),
    );
    const { outcome, next } = await twoTurns(model, reasoned);
    expect(outcome).toMatchObject({ text: 'Reading.', reasoning: 'I should read it.' });
    expect(calls(outcome.finish)).toEqual([{ name: 'read_file', args: ARGS }]);
    expect(next.messages).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user' },
      { role: 'assistant', reasoning_content: 'I should read it.', tool_calls: [{ id: 'call_d' }] },
      { role: 'tool', tool_call_id: 'call_d', content: 'the file' },
    ]);
  });

  it('[models.error.broken-stream] a reply that ends without a finish reason', async () => {
    server.enqueue(answer.endWithoutFinish('half'));
    const outcome = await outcomeOf(testModel({ provider: 'deepseek', base_url: server.url }));
    expect(outcome.text).toBe('half');
    expect(modelError(outcome).kind).toBe('broken_stream');
  });
});

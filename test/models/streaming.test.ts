// A call through the port against a real HTTP server: the parts of a good reply, for OpenAI and compatible
// servers.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ModelFinish, ModelPart, ToolSpec } from '../../src/models/model.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { outcomeOf, testModel, threadWithTool } from './call.ts';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterEach(() => server.reset());
afterAll(() => server.close());

const READ: ToolSpec = {
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

describe.each(['openai', 'openai-compatible'] as const)('%s', (provider) => {
  const model = () => testModel({ provider, base_url: server.url });

  it('[models.stream.text] streams text as it arrives, and ends with one finish', async () => {
    const gate = Promise.withResolvers<void>();
    server.enqueue(
      answer.script(
        step.text('one'),
        step.until(gate.promise),
        step.text(' two'),
        step.finish(),
        step.done(),
      ),
    );
    const outcome = await outcomeOf(model(), {}, (part) => {
      // The second word is sent only after the first one was seen here.
      if (part.type === 'text_delta' && part.text === 'one') gate.resolve();
    });
    expect(outcome.error).toBeUndefined();
    expect(outcome.parts.map((part) => part.type)).toEqual(['text_delta', 'text_delta', 'finish']);
    expect(outcome.text).toBe('one two');
    expect(outcome.finish).toMatchObject({ finishReason: 'stop', toolCalls: [] });
  });

  it('[models.stream.usage] counts tokens, including cached and reasoning ones', async () => {
    server.enqueue(answer.text('hi', { usage: { prompt: 100, completion: 20, cached: 60, reasoning: 15 } }));
    const { finish } = await outcomeOf(model());
    expect(finish?.usage).toEqual({
      input_tokens: 100,
      output_tokens: 20,
      total_tokens: 120,
      input_token_details: { cache_read: 60, cache_creation: 0 },
      output_token_details: { reasoning: 15 },
    });
  });

  it('[models.stream.usage] has no usage when the provider sends none', async () => {
    server.enqueue(answer.script(step.text('a'), step.finish(), step.done()));
    expect((await outcomeOf(model())).finish?.usage).toBeNull();
  });

  it('[models.stream.tool-calls] streams the arguments of calls as they grow', async () => {
    const calls = [
      { name: 'read_file', args: { path: '/mnt/user-data/workspace/a.md' } },
      { name: 'ls', args: {} },
    ];
    server.enqueue(answer.toolCalls(calls, { text: 'Looking.' }));
    const { parts, text, finish } = await outcomeOf(model(), { tools: [READ] });
    expect(text).toBe('Looking.');
    const deltas = parts.filter((part) => part.type === 'tool_call_delta');
    expect(deltas.filter((delta) => delta.index === 0).length).toBeGreaterThan(3);
    expect(deltas.filter((delta) => delta.id !== undefined)).toMatchObject([
      { index: 0, id: 'call_0', name: 'read_file' },
      { index: 1, id: 'call_1', name: 'ls' },
    ]);
    const grown = deltas.filter((delta) => delta.index === 0).map((delta) => delta.args);
    expect(JSON.parse(grown.join(''))).toEqual(calls[0]?.args);
    expect(finish).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [
        { type: 'tool_call', id: 'call_0', ...calls[0] },
        { type: 'tool_call', id: 'call_1', ...calls[1] },
      ],
    });
  });

  it('[models.stream.tool-calls] shows arguments before the call is complete', async () => {
    const gate = Promise.withResolvers<void>();
    const start = step.callPiece({ index: 0, id: 'c', name: 'write_file', args: '{"content":"one' });
    const rest = step.callPiece({ index: 0, args: ' two"}' });
    server.enqueue(
      answer.script(start, step.until(gate.promise), rest, step.finish('tool_calls'), step.done()),
    );
    const outcome = await outcomeOf(model(), {}, (part) => {
      if (part.type === 'tool_call_delta' && part.args !== '') gate.resolve();
    });
    expect(outcome.finish?.toolCalls[0]?.args).toEqual({ content: 'one two' });
  });

  const reasons: readonly [string, ModelFinish['finishReason']][] = [
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'other'],
  ];
  it.each(reasons)('[models.stream.finish-reason] %s is %s', async (theirs, ours) => {
    server.enqueue(answer.text('x', { finishReason: theirs }));
    expect((await outcomeOf(model())).finish?.finishReason).toBe(ours);
  });

  it('[models.request] sends instructions, history, tools and settings', async () => {
    server.enqueue(answer.text('ok'));
    const settings = { temperature: 0.3, max_tokens: 500, headers: { 'x-team': 'blue' } };
    const configured = testModel({ provider, base_url: server.url, ...settings });
    await outcomeOf(configured, { messages: threadWithTool(), tools: [READ] });
    const [sent] = server.requests;
    expect(sent?.path).toBe('/v1/chat/completions');
    expect(sent?.headers).toMatchObject({ authorization: 'Bearer sk-test-canary-key', 'x-team': 'blue' });
    expect(sent?.body).toMatchObject({
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.3,
      max_tokens: 500,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'read it' },
        {
          role: 'assistant',
          content: 'Reading.',
          tool_calls: [
            { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"/a"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_a', content: 'the file' },
        { role: 'user', content: 'thanks' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'read_file', description: 'Reads a file.', parameters: READ.inputSchema },
        },
      ],
    });
  });

  it('[models.stream.odd] tolerates empty choices, a line of a megabyte and invalid UTF-8', async () => {
    server.enqueue(answer.emptyChoices('fine'), answer.hugeLine(1_000_000), answer.invalidUtf8());
    expect((await outcomeOf(model())).text).toBe('fine');
    expect((await outcomeOf(model())).text).toHaveLength(1_000_000);
    const odd = await outcomeOf(model());
    expect(odd.text).toBe('a\ufffdb');
    expect(odd.finish?.finishReason).toBe('stop');
  });

  it('[models.tool-calls.repair] accepts calls at odd positions, and calls without an id or with one id for all', async () => {
    const calls = [
      { name: 'ls', args: { path: '/1' } },
      { name: 'ls', args: { path: '/2' } },
    ];
    const told = (finish: ModelFinish | undefined) =>
      finish?.toolCalls.map(({ name, args }) => ({ name, args }));
    for (const broken of [answer.wrongIndices(calls), answer.duplicateIds(calls), answer.missingIds(calls)]) {
      server.enqueue(broken);
      const { finish, parts } = await outcomeOf(model());
      expect(told(finish)).toEqual(calls);
      const ids = finish?.toolCalls.map((call) => call.id) ?? [];
      expect(new Set(ids).size).toBe(2);
      expect(ids.every((id) => id !== '')).toBe(true);
      const announced = parts.flatMap((part) => (part.type === 'tool_call_delta' ? (part.id ?? []) : []));
      expect(announced).toEqual(ids);
    }
  });

  it('[models.tool-calls.repair] replaces an id that the thread already has, always in the same way', async () => {
    const again = answer.toolCalls([{ name: 'read_file', args: { path: '/b' }, id: 'call_a' }]);
    server.enqueue(again, again);
    const first = await outcomeOf(model(), { messages: threadWithTool() });
    expect(first.finish?.toolCalls[0]?.id).toBe('call_a_1');
    expect((await outcomeOf(model(), { messages: threadWithTool() })).finish).toEqual(first.finish);
  });

  it('[models.stream.finish-lies] trusts the calls, not the finish reason', async () => {
    server.enqueue(answer.stopDespiteCalls([{ name: 'ls', args: {} }]));
    expect((await outcomeOf(model())).finish).toMatchObject({
      finishReason: 'tool_calls',
      toolCalls: [{ name: 'ls' }],
    });
  });
});

/** Returns the pieces as they arrived, including those that arrived together. */
function piecesOf(part: ModelPart): string[] {
  if (part.type !== 'text_delta' && part.type !== 'reasoning_delta') return [];
  let start = 0;
  return (part.lengths ?? [part.text.length]).map((length) => {
    start += length;
    return `${part.type.slice(0, -'_delta'.length)}: ${part.text.slice(start - length, start)}`;
  });
}

describe('reasoning', () => {
  it('[models.stream.reasoning] streams reasoning separately from the text', async () => {
    server.enqueue(answer.reasoning(['Let me', ' see.'], 'Four.'));
    const { parts, text, reasoning } = await outcomeOf(testModel({ base_url: server.url }));
    expect(parts.flatMap(piecesOf)).toEqual(['reasoning: Let me', 'reasoning:  see.', 'text: Four.']);
    expect({ text, reasoning }).toEqual({ text: 'Four.', reasoning: 'Let me see.' });
  });
});

// Deviations of servers from chat completions: odd events, bounds, calls without numbers, and replies that
// are no streams.
import { describe, expect, it } from 'vitest';
import { bytesOf, type Step, step } from '../support/model-server/step.ts';
import { modelError, type Outcome, outcomeOf, retriesOf, testModel } from './call.ts';

/** Returns the outcome of a response with this body. */
function outcomeOfBody(body: string, provider = 'openai-compatible'): Promise<Outcome> {
  const headers = { 'content-type': 'text/event-stream' };
  const fetch: typeof globalThis.fetch = async () => new Response(body, { headers });
  return outcomeOf(testModel({ provider, base_url: 'http://model.test' }, { fetch }));
}

function outcomeOfSteps(...steps: readonly Step[]): Promise<Outcome> {
  return outcomeOfBody(steps.map((it) => String(bytesOf(it, 'm'))).join(''));
}

const END = [step.finish(), step.done()];

function callsOf({ finish }: Outcome) {
  return finish?.toolCalls.map(({ name, args }) => [name, args]);
}

describe('events', () => {
  it('[models.stream.odd] tolerates comments, names, ids, pauses and data in several lines', async () => {
    const outcome = await outcomeOfSteps(
      step.raw(': ping\n\nretry: 1\nid: 9\n\n'),
      step.raw('event: chunk\ndata: {"choices":[{"delta":\ndata:{"content":"one"}}]}\n\n'),
      step.text(' two'),
      ...END,
    );
    expect(outcome.text).toBe('one two');
  });

  it('[models.stream.text] text that arrived together is one part with the lengths of its pieces', async () => {
    const { parts } = await outcomeOfSteps(step.text('a'), step.text(' "b"'), step.text('\u{1f600}'), ...END);
    expect(parts[0]).toEqual({ type: 'text_delta', text: 'a "b"\u{1f600}', lengths: [1, 4, 2] });
  });

  it('[models.stream.text] a part of joined pieces stays small', async () => {
    const words = Array.from({ length: 400 }, (_, index) => step.text(` word${index}`));
    const { parts } = await outcomeOfSteps(...words, ...END);
    const texts = parts.flatMap((part) => (part.type === 'text_delta' ? [part.text.length] : []));
    expect(texts.length).toBeGreaterThan(4);
    expect(Math.max(...texts)).toBeLessThan(530);
  });

  it('[models.stream.odd] events after the end are ignored', async () => {
    const { text, finish } = await outcomeOfSteps(step.text('all'), ...END, step.text('more'));
    expect({ text, reason: finish?.finishReason }).toEqual({ text: 'all', reason: 'stop' });
  });

  it('[models.stream.finish-reason] a refusal is text, and counts as withheld', async () => {
    const { text, finish } = await outcomeOfSteps(
      step.event({ choices: [{ delta: { refusal: 'No.' } }] }),
      ...END,
    );
    expect({ text, reason: finish?.finishReason }).toEqual({ text: 'No.', reason: 'content_filter' });
  });

  it('[models.stream.reasoning] content may arrive in blocks, including reasoning', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    const content = [thinking, { type: 'text', text: 'Yes.' }, { type: 'image' }];
    const outcome = await outcomeOfSteps(step.event({ choices: [{ delta: { content } }] }), ...END);
    expect(outcome).toMatchObject({ text: 'Yes.', reasoning: 'Hm.' });
  });
});

describe('a reply that is no stream', () => {
  it('[models.stream.odd] an object with the whole reply is the reply', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'ls', arguments: '{"path":"/"}' } };
    const message = { role: 'assistant', content: 'Looking.', tool_calls: [call] };
    const usage = { prompt_tokens: 3, completion_tokens: 2 };
    const body = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage };
    const outcome = await outcomeOfBody(JSON.stringify(body, undefined, 2));
    expect(outcome.text).toBe('Looking.');
    expect(callsOf(outcome)).toEqual([['ls', { path: '/' }]]);
    expect(outcome.finish?.usage).toMatchObject({ input_tokens: 3, output_tokens: 2 });
  });

  it('[models.error.kinds] an error with a success status is an error, and retried', async () => {
    const outcome = await outcomeOfBody('{"error":{"message":"overloaded","code":503}}');
    expect(modelError(outcome)).toMatchObject({ kind: 'model_error' });
    expect(retriesOf(outcome)).toHaveLength(2);
  });

  it.each(['<html>no</html>', '', '[]', '{"choices"', '{"id":1}'])(
    '[models.error.broken-stream] %s is no reply',
    async (body) => {
      expect(modelError(await outcomeOfBody(body)).kind).toBe('broken_stream');
    },
  );
});

describe('calls', () => {
  const piece = (fields: object) => step.event({ choices: [{ delta: { tool_calls: [fields] } }] });
  const named = (name: string, args: string) => ({ function: { name, arguments: args } });

  it('[models.tool-calls.repair] without numbers, each name begins a call', async () => {
    const outcome = await outcomeOfSteps(
      piece(named('ls', '{"path":"/1"}')),
      piece(named('ls', '{"path":"/2"')),
      piece({ function: { arguments: '}' } }),
      ...END,
    );
    expect(callsOf(outcome)).toEqual([
      ['ls', { path: '/1' }],
      ['ls', { path: '/2' }],
    ]);
  });

  it('[models.tool-calls.repair] under one number, another id or another name begins a call', async () => {
    const outcome = await outcomeOfSteps(
      piece({ index: 0, id: 'a', ...named('ls', '') }),
      piece({ index: 0, function: { arguments: '{"path":"/1"}' } }),
      piece({ index: 0, id: 'b', ...named('ls', '') }),
      piece({ index: 0, function: { arguments: '{"path":"/2"}' } }),
      piece({ index: 0, ...named('grep', '{}') }),
      piece({ index: 0, ...named('grep', '{"a":1}') }),
      ...END,
    );
    expect(callsOf(outcome)).toEqual([
      ['ls', { path: '/1' }],
      ['ls', { path: '/2' }],
      ['grep', {}],
      ['grep', { a: 1 }],
    ]);
  });

  it('[models.tool-calls.repair] a name that is in every piece, and one that comes last', async () => {
    const outcome = await outcomeOfSteps(
      piece({ index: 0, id: 'a', ...named('ls', '{"path":') }),
      piece({ index: 0, id: 'a', ...named('ls', '{"x":1}}') }),
      piece({ index: 1, id: 'b', function: { arguments: '{"path":' } }),
      piece({ index: 1, ...named('grep', '"/2"}') }),
      ...END,
    );
    expect(callsOf(outcome)).toEqual([
      ['ls', { path: { x: 1 } }],
      ['grep', { path: '/2' }],
    ]);
  });

  it('[models.stream.tool-calls] a signature is sent back with its call', async () => {
    const signed = { extra_content: { google: { thought_signature: 'sig' } } };
    const { finish } = await outcomeOfSteps(
      piece({ index: 0, id: 'a', ...named('ls', '{}'), ...signed }),
      ...END,
    );
    expect(finish?.providerMetadata).toEqual({
      reasoning: [],
      calls: { a: { compatible: { thoughtSignature: 'sig' } } },
    });
  });

  const endless: readonly [string, () => Step[]][] = [
    ['an event', () => [step.raw('data: '), step.raw('x'.repeat(5_000_000))]],
    [
      'an event in many lines',
      () => Array.from({ length: 50_000 }, () => step.raw(`data: ${'x'.repeat(100)}\n`)),
    ],
    ['an answer that is no stream', () => [step.raw(`{"a":"${'x'.repeat(5_000_000)}"}`)]],
    [
      'arguments',
      () => [
        piece({ index: 0, id: 'a', ...named('ls', '') }),
        ...Array.from({ length: 9 }, () =>
          piece({ index: 0, function: { arguments: 'x'.repeat(1_000_000) } }),
        ),
      ],
    ],
    ['calls', () => Array.from({ length: 300 }, (_, index) => piece({ index, ...named('ls', '{}') }))],
    ['calls without names', () => Array.from({ length: 300 }, (_, index) => piece({ index }))],
    ['arguments without a name', () => [piece({ index: 0, function: { arguments: 'x'.repeat(100_000) } })]],
  ];
  it.each(endless)('[models.stream.bounds] %s without an end', async (_, steps) => {
    const outcome = await outcomeOfSteps(...steps(), ...END);
    expect(modelError(outcome).kind).toBe('broken_stream');
    expect(outcome.finish).toBeUndefined();
  });
});

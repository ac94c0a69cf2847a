// Joining events loses and changes nothing, whatever the network does to the stream.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DeltaMerger } from '../../src/models/ai-sdk/merge-deltas.ts';
import { bytesOf, type Step, step } from '../support/model-server/step.ts';

interface Chunk {
  readonly choices: readonly {
    readonly finish_reason?: string | null;
    readonly delta: { readonly content?: string | null; readonly reasoning_content?: string };
  }[];
}

function eventsOf(stream: string): Chunk[] {
  return stream
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)));
}

function textOf(stream: string): string {
  return eventsOf(stream)
    .map((event) => event.choices[0]?.delta.content ?? '')
    .join('');
}

function streamOf(...steps: readonly Step[]): string {
  return steps.map((it) => String(bytesOf(it, 'm'))).join('');
}

/** All of it at once, as one piece of the network. */
function merged(...steps: readonly Step[]): string {
  const merger = new DeltaMerger();
  return merger.push(streamOf(...steps)) + merger.end();
}

describe('joining', () => {
  it('[models.stream.joined] text that arrived together becomes one event', () => {
    const events = eventsOf(merged(step.text('a'), step.text(' "b"'), step.text('\\\n'), step.finish()));
    expect(events.map((event) => event.choices[0]?.delta.content)).toEqual(['a "b"\\\n', undefined]);
    expect(events[1]?.choices[0]?.finish_reason).toBe('stop');
  });

  it('[models.stream.joined] text that arrives piece by piece passes at once, piece by piece', () => {
    const merger = new DeltaMerger();
    for (const word of ['one', ' two', ' three'])
      expect(merger.push(streamOf(step.text(word)))).toBe(streamOf(step.text(word)));
  });

  it('[models.stream.joined] text, reasoning and arguments stay apart and in order', () => {
    const pieces = [
      step.reasoning('x'),
      step.reasoning('y'),
      step.text('a'),
      step.text('b'),
      step.reasoning('z'),
    ];
    const call = [
      step.callPiece({ index: 0, id: 'c', name: 'ls', args: '{' }),
      step.callPiece({ index: 0, args: '"a":' }),
    ];
    const other = [step.callPiece({ index: 0, args: '1}' }), step.callPiece({ index: 1, args: '{}' })];
    const deltas = eventsOf(merged(...pieces, ...call, ...other)).map((event) => event.choices[0]?.delta);
    expect(deltas).toMatchObject([
      { reasoning_content: 'xy' },
      { content: 'ab' },
      { reasoning_content: 'z' },
      { tool_calls: [{ id: 'c', function: { arguments: '{' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"a":1}' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ]);
  });

  it('[models.stream.joined] a joined event stays small', () => {
    const words = Array.from({ length: 100 }, (_, index) => step.text(` word${index}`));
    const events = eventsOf(merged(...words));
    expect(events.length).toBeGreaterThan(4);
    expect(events.every((event) => (event.choices[0]?.delta.content?.length ?? 0) < 140)).toBe(true);
  });

  const untouched: readonly [string, string][] = [
    ['usage with text', 'data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":1}}\n\n'],
    ['a finish with text', 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n'],
    ['probabilities', 'data: {"choices":[{"delta":{"content":"a"},"logprobs":{"content":[]}}]}\n\n'],
    ['two choices', 'data: {"choices":[{"delta":{"content":"a"}},{"delta":{"content":"b"}}]}\n\n'],
    ['an error', 'data: {"error":{"message":"x"},"choices":[{"delta":{"content":"a"}}]}\n\n'],
    ['what is no JSON', 'data: {"choices":[{"delta":{"content":"a\n\n'],
    ['comments and named events', ': ping\n\nevent: x\ndata: {"content":"a"}\n\n'],
    ['other line ends', 'data: {"choices":[{"delta":{"content":"a"}}]}\r\n\r\n'],
    ['the end', 'data: [DONE]\n\n'],
  ];
  it.each(untouched)('[models.stream.joined] leaves %s as it is', (_, event) => {
    const merger = new DeltaMerger();
    expect(merger.push(event + event) + merger.end()).toBe(event + event);
  });

  it('[models.stream.joined] does not take a text that looks like the rest of an event for one', () => {
    const tricky = 'a"},"finish_reason":null}]}\\';
    expect(textOf(merged(step.text('x'), step.text(tricky), step.text('y')))).toBe(`x${tricky}y`);
  });
});

describe('anything', () => {
  it('[models.stream.joined] the text is the same however the stream is cut', () => {
    const cutAnywhere = fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 40 }),
      fc.array(fc.nat(400), { maxLength: 40 }),
      (texts, cuts) => {
        const stream = streamOf(...texts.map(step.text), step.finish(), step.done());
        const merger = new DeltaMerger();
        let passed = '';
        let start = 0;
        for (const cut of cuts) {
          passed += merger.push(stream.slice(start, start + cut));
          start += cut;
        }
        passed += merger.push(stream.slice(start)) + merger.end();
        expect(textOf(passed)).toBe(texts.join(''));
        expect(passed.endsWith('data: [DONE]\n\n')).toBe(true);
      },
    );
    fc.assert(cutAnywhere, { seed: 20_261_120, numRuns: 300 });
  });
});

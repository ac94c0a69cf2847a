// Joining events loses and changes nothing, whatever the network does to the stream.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventJoiner } from '../../src/models/ai-sdk/event-joiner.ts';
import { TextShortcut } from '../../src/models/ai-sdk/text-shortcut.ts';
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
function joined(...steps: readonly Step[]): string {
  const joiner = new EventJoiner(new TextShortcut());
  return joiner.push(streamOf(...steps)) + joiner.end();
}

describe('joining', () => {
  it('[models.stream.text] text that arrived together becomes one event', () => {
    const events = eventsOf(joined(step.text('a'), step.text(' "b"'), step.text('\\\n'), step.finish()));
    expect(events.map((event) => event.choices[0]?.delta.content)).toEqual(['a "b"\\\n', undefined]);
    expect(events[1]?.choices[0]?.finish_reason).toBe('stop');
  });

  it('[models.stream.text] text that arrives piece by piece passes at once, piece by piece', () => {
    const joiner = new EventJoiner(new TextShortcut());
    for (const word of ['one', ' two', ' three'])
      expect(joiner.push(streamOf(step.text(word)))).toBe(streamOf(step.text(word)));
  });

  it('[models.stream.text] text and reasoning stay apart and in order', () => {
    const pieces = [
      step.reasoning('x'),
      step.reasoning('y'),
      step.text('a'),
      step.text('b'),
      step.reasoning('z'),
    ];
    const deltas = eventsOf(joined(...pieces)).map((event) => event.choices[0]?.delta);
    expect(deltas).toMatchObject([
      { reasoning_content: 'xy' },
      { content: 'ab' },
      { reasoning_content: 'z' },
    ]);
  });

  it('[models.stream.tool-calls] arguments are never joined', () => {
    const call = [
      step.callPiece({ index: 0, id: 'c', name: 'ls', args: '{' }),
      step.callPiece({ index: 0, args: '"a":' }),
      step.callPiece({ index: 0, args: '1}' }),
    ];
    expect(joined(...call)).toBe(streamOf(...call));
  });

  it('[models.stream.text] random padding does not keep events apart', () => {
    const padded = ['a', ' b'].map(
      (content, index) =>
        `data: {"choices":[{"delta":{"content":"${content}"}}],"obfuscation":"${'x'.repeat(index + 1)}"}\n\n`,
    );
    const joiner = new EventJoiner(new TextShortcut());
    expect(textOf(joiner.push(padded.join('')))).toBe('a b');
    expect(joiner.push(padded.join('')).split('data: ')).toHaveLength(2);
  });

  it('[models.stream.text] tells the lengths of the pieces as they are read', () => {
    const shortcut = new TextShortcut();
    const joiner = new EventJoiner(shortcut);
    joiner.push(streamOf(step.text('a'), step.text(' "b"'), step.text('\u{1f600}'), step.finish()));
    joiner.push(streamOf(step.text('alone')));
    expect(shortcut.cameOut('a "b"\u{1f600}'.length)).toEqual([1, 4, 2]);
    expect(shortcut.cameOut('alone'.length)).toBeUndefined();
  });

  it('[models.stream.text] a joined event stays small', () => {
    const words = Array.from({ length: 400 }, (_, index) => step.text(` word${index}`));
    const events = eventsOf(joined(...words));
    expect(events.length).toBeGreaterThan(4);
    expect(events.every((event) => (event.choices[0]?.delta.content?.length ?? 0) < 530)).toBe(true);
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
  it.each(untouched)('[models.stream.text] leaves %s as it is', (_, event) => {
    const joiner = new EventJoiner(new TextShortcut());
    expect(joiner.push(event + event) + joiner.end()).toBe(event + event);
  });

  it('[models.stream.text] does not take a text that looks like the rest of an event for one', () => {
    const tricky = 'a"},"finish_reason":null}]}\\';
    expect(textOf(joined(step.text('x'), step.text(tricky), step.text('y')))).toBe(`x${tricky}y`);
  });
});

describe('anything', () => {
  it('[models.stream.text] the text is the same however the stream is cut', () => {
    const cutAnywhere = fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 40 }),
      fc.array(fc.nat(400), { maxLength: 40 }),
      (texts, cuts) => {
        const stream = streamOf(...texts.map(step.text), step.finish(), step.done());
        const joiner = new EventJoiner(new TextShortcut());
        let passed = '';
        let start = 0;
        for (const cut of cuts) {
          passed += joiner.push(stream.slice(start, start + cut));
          start += cut;
        }
        passed += joiner.push(stream.slice(start)) + joiner.end();
        expect(textOf(passed)).toBe(texts.join(''));
        expect(passed.endsWith('data: [DONE]\n\n')).toBe(true);
      },
    );
    fc.assert(cutAnywhere, { seed: 20_261_120, numRuns: 300 });
  });
});

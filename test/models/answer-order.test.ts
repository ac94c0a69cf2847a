// Text, reasoning and calls keep their order, however the network splits the response.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelPart } from '../../src/models/model.ts';
import { bytesOf, type Step, step } from '../support/model-server/step.ts';
import { outcomeOf, testModel } from './call.ts';

/**
 * Returns a fetch whose response arrives in these pieces; some of them wait until everything earlier can be
 * read.
 */
function answering(pieces: readonly Uint8Array[]): typeof globalThis.fetch {
  const waiting = [...pieces];
  return async () =>
    new Response(
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          const piece = waiting.shift();
          if (piece === undefined || piece.length % 3 > 0)
            await new Promise((resolve) => setImmediate(resolve));
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    );
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

/** Returns letters for text, reasoning and calls, in their order. */
function said(part: ModelPart): string {
  if (part.type === 'text_delta') return `<${part.text}>`;
  if (part.type === 'reasoning_delta') return `(${part.text})`;
  return part.type === 'tool_call_delta' ? `[${part.args}]` : '';
}

function inOrder(parts: readonly ModelPart[]): string {
  return parts.map(said).join('').replaceAll('><', '').replaceAll(')(', '').replaceAll('][', '');
}

const word = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
  .map((it) => it.replaceAll(/[<>()[\]]/g, '-'));
const piece = fc.oneof(
  { weight: 8, arbitrary: word.map((text) => ({ kind: 'text', text }) as const) },
  { weight: 3, arbitrary: word.map((text) => ({ kind: 'reasoning', text }) as const) },
);

function stepOf({ kind, text }: { readonly kind: 'text' | 'reasoning'; readonly text: string }): Step {
  return kind === 'text' ? step.text(text) : step.reasoning(text);
}

describe.each(['openai-compatible', 'deepseek'] as const)('%s', (provider) => {
  it('[models.stream.text] [models.stream.reasoning] order and text are the same however the response is split', async () => {
    const anyAnswer = fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 60 }),
      fc.array(fc.nat(12_000), { maxLength: 60 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (pieces, cuts, lineEnd) => {
        const call = step.callPiece({ index: 0, id: 'c', name: 'ls', args: '{}' });
        const steps = [...pieces.map(stepOf), call, step.finish('tool_calls'), step.done()];
        const stream = steps.map((it) => String(bytesOf(it, 'm'))).join('');
        const bytes = new TextEncoder().encode(stream.replaceAll('\n', lineEnd));
        const fetch = answering(cutAt(bytes, cuts));
        const outcome = await outcomeOf(testModel({ provider, base_url: 'http://model' }, { fetch }));
        const wanted = pieces.map(({ kind, text }) => (kind === 'text' ? `<${text}>` : `(${text})`)).join('');
        expect(inOrder(outcome.parts)).toBe(`${wanted.replaceAll('><', '').replaceAll(')(', '')}[{}]`);
        expect(outcome.finish?.toolCalls).toHaveLength(1);
      },
    );
    await fc.assert(anyAnswer, { seed: 20_261_121, numRuns: 150 });
  });

  it('[models.stream.text] a text that arrives in pieces is passed on in pieces', async () => {
    const words = Array.from({ length: 40 }, (_, index) => `word${index} `);
    const pieces = [...words.map(step.text), step.finish(), step.done()].map((it) =>
      new TextEncoder().encode(String(bytesOf(it, 'm'))),
    );
    const outcome = await outcomeOf(
      testModel({ provider, base_url: 'http://model' }, { fetch: answering(pieces) }),
    );
    const told = outcome.parts.flatMap((part) =>
      part.type === 'text_delta' ? (part.lengths ?? [part.text.length]) : [],
    );
    expect(told).toEqual(words.map(({ length }) => length));
    expect(outcome.text).toBe(words.join(''));
  });
});

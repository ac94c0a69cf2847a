// Pieces of an answer in, content blocks out: never two at a time, and complete in the end.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { MessageDelta } from '../../src/agent/agent-event.ts';
import { aiMessage, type ToolCall } from '../../src/messages/message.ts';
import { type MessageData, StreamedMessage } from '../../src/runs/reading/protocol/streamed-message.ts';

const messageId = 'm';
const text = (piece: string): MessageDelta => ({ type: 'text_delta', messageId, text: piece });
const thought = (piece: string): MessageDelta => ({ type: 'reasoning_delta', messageId, text: piece });
const call = (index: number, args: string, first: { id?: string; name?: string } = {}): MessageDelta => ({
  type: 'tool_call_delta',
  messageId,
  index,
  args,
  ...first,
});
const toolCall = (id: string, name: string, args: ToolCall['args']): ToolCall => ({
  type: 'tool_call',
  id,
  name,
  args,
});

function told(deltas: readonly MessageDelta[], message: Parameters<typeof aiMessage>[2], content = '') {
  const streamed = new StreamedMessage(messageId);
  const live = deltas.flatMap((delta) => streamed.add(delta));
  return { live, all: [...live, ...streamed.finish(aiMessage(messageId, content, message))] };
}

const names = (list: readonly MessageData[]) =>
  list.map((data) => ('index' in data ? `${String(data.event)} ${String(data.index)}` : data.event));

const finished = (list: readonly MessageData[]) =>
  list.filter(({ event }) => event === 'content-block-finish').map(({ content }) => content);

it('[protocol.messages] shows reasoning, text and calls as blocks, one after another', () => {
  const { all } = told(
    [thought('hm'), text('Let me '), text('look.'), call(0, '{"a":', { id: 'c', name: 'ls' }), call(0, '1}')],
    { tool_calls: [toolCall('c', 'ls', { a: 1 })], response_metadata: { finish_reason: 'tool_calls' } },
    'Let me look.',
  );
  expect(names(all)).toEqual([
    'message-start',
    'content-block-start 0',
    'content-block-delta 0',
    'content-block-finish 0',
    'content-block-start 1',
    'content-block-delta 1',
    'content-block-delta 1',
    'content-block-finish 1',
    'content-block-start 2',
    'content-block-finish 2',
    'message-finish',
  ]);
  expect(finished(all)).toEqual([
    { type: 'reasoning', reasoning: 'hm' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_call', id: 'c', name: 'ls', args: { a: 1 } },
  ]);
  expect(all.at(-1)).toMatchObject({ reason: 'tool_use', responseMetadata: { finish_reason: 'tool_calls' } });
});

it('[protocol.messages] holds back what comes while a call is incomplete', () => {
  const { live, all } = told(
    [
      call(0, '{"a":', { id: 'x', name: 'one' }),
      call(1, '{"b":2}', { id: 'y', name: 'two' }),
      text('meanwhile'),
      call(0, '1}'),
    ],
    { tool_calls: [toolCall('x', 'one', { a: 1 }), toolCall('y', 'two', { b: 2 })] },
    'meanwhile',
  );
  expect(names(live)).toEqual([
    'message-start',
    'content-block-start 0',
    'content-block-finish 0',
    'content-block-start 1',
    'content-block-finish 1',
    'content-block-start 2',
    'content-block-delta 2',
  ]);
  expect(finished(all)).toHaveLength(3);
});

it('[protocol.messages] shows what was never streamed when the reply is complete', () => {
  const { all } = told(
    [],
    { tool_calls: [toolCall('c', 'ls', {})], additional_kwargs: { reasoning_content: 'hm' } },
    'so',
  );
  expect(finished(all)).toEqual([
    { type: 'reasoning', reasoning: 'hm' },
    { type: 'text', text: 'so' },
    { type: 'tool_call', id: 'c', name: 'ls', args: {} },
  ]);
});

it('[protocol.messages] gives a call without an id the id that the state has', () => {
  const { all } = told([call(0, '{}', { name: 'ls' })], { tool_calls: [toolCall('made', 'ls', {})] });
  expect(finished(all)).toEqual([{ type: 'tool_call', id: 'made', name: 'ls', args: {} }]);
});

it('[protocol.messages] shows arguments that are not JSON as an invalid call', () => {
  const { all } = told([call(0, '{"a": "b', { id: 'c', name: 'ls' })], {});
  expect(finished(all)).toMatchObject([{ type: 'invalid_tool_call', id: 'c', args: '{"a": "b' }]);
});

it('[protocol.messages] shows long arguments in a few pieces, however many there were', () => {
  const args = JSON.stringify({ content: 'x'.repeat(100_000) });
  const pieces = args.match(/[\s\S]{1,8}/g) ?? [];
  const streamed = new StreamedMessage(messageId);
  const bytes = pieces
    .flatMap((piece) => streamed.add(call(0, piece)))
    .reduce((sum, data) => sum + JSON.stringify(data).length, 0);
  expect(bytes).toBeLessThan(args.length * 7);
});

it('[protocol.messages] is complete and in order for any mixture of pieces', () => {
  const delta = fc.oneof(
    fc.string({ minLength: 1 }).map(text),
    fc.string({ minLength: 1 }).map(thought),
    fc.tuple(fc.nat(3), fc.constantFrom('{}', '{"a":', '1}', 'x')).map(([index, args]) => call(index, args)),
  );
  fc.assert(
    fc.property(fc.array(delta, { maxLength: 30 }), (deltas) => {
      const { all } = told(deltas, {});
      const open: unknown[] = [];
      for (const { event, index } of all) {
        if (event === 'content-block-start') open.push(index);
        if (event === 'content-block-delta') expect(open).toEqual([index]);
        if (event === 'content-block-finish') expect(open.splice(0)).toEqual([index]);
      }
      expect(open).toEqual([]);
      const said = (type: string, field: string) =>
        finished(all)
          .map((content) => content as Record<string, unknown>)
          .filter((content) => content.type === type)
          .map((content) => content[field])
          .join('');
      const given = (type: MessageDelta['type']) =>
        deltas.map((it) => (it.type === type && 'text' in it ? it.text : '')).join('');
      expect(said('text', 'text')).toBe(given('text_delta'));
      expect(said('reasoning', 'reasoning')).toBe(given('reasoning_delta'));
    }),
    { seed: 20_261_121 },
  );
});

// The state of a thread is a fold of deltas (docs/decisions/0005-delta-checkpoints.md).
import { describe, expect, it } from 'vitest';
import { humanMessage } from '../../src/messages/message.ts';
import { EMPTY_STATE, foldDelta } from '../../src/messages/thread-state.ts';

describe('the state', () => {
  it('[state.fold] is a fold of deltas: append, replace by id, remove, remove all; the previous state is unchanged', () => {
    const one = foldDelta(EMPTY_STATE, {
      messages: [humanMessage('a', '1'), humanMessage('b', '2')],
      values: { title: 'x' },
    });
    const two = foldDelta(one.state, {
      messages: [humanMessage('a', 'changed'), { type: 'remove', id: 'b' }],
      values: { title: 'y' },
    });
    expect(two.state.messages.map(({ id, content }) => [id, content])).toEqual([['a', 'changed']]);
    expect(two.state.values).toEqual({ title: 'y' });
    expect(one.state.messages).toHaveLength(2);
    expect(one.deadBytes).toBe(0);
    expect(two.deadBytes).toBeGreaterThan(0);
    const all = foldDelta(two.state, {
      messages: [{ type: 'remove', id: '__remove_all__' }, humanMessage('c', '3')],
      values: {},
    });
    expect(all.state.messages.map(({ id }) => id)).toEqual(['c']);
  });

  it('[state.fold.linear] is folded in one pass over its messages, however many of them a delta removes', () => {
    const many = 5_000;
    let looks = 0;
    const messages = Array.from({ length: many }, (_, index) => ({
      ...humanMessage('', `message ${index}`),
      get id() {
        looks++;
        return `m${index}`;
      },
    }));
    const changes = Array.from({ length: 200 }, (_, index) => ({
      type: 'remove' as const,
      id: `m${index * 20}`,
    }));
    const again = humanMessage('m40', 'said again');
    const { state } = foldDelta({ messages, values: {} }, { messages: [...changes, again], values: {} });
    expect(looks).toBeLessThan(3 * many);
    expect(state.messages).toHaveLength(many - 199);
    expect(state.messages.at(-1)).toBe(again);
    const places = foldDelta(state, { messages: [{ type: 'remove', id: 'm41' }], values: {} });
    expect(places.state.messages.map(({ id }) => id)).not.toContain('m41');
    expect(places.state.messages.map(({ id }) => id).slice(0, 3)).toEqual(['m1', 'm2', 'm3']);
  });
});

// How the app reads what waits and what branches: questions of a run, arguments to change, trees of checkpoints.
import { describe, expect, it } from 'vitest';
import type { Checkpoint } from '../../web/src/api/shapes.ts';
import { findBranchPoint, forksOn, isElsewhere, pathTo } from '../../web/src/conversation/branches.ts';
import { readWaiting, resumeOf } from '../../web/src/conversation/waiting.ts';
import { toArguments, toFields } from '../../web/src/questions/argument-fields.ts';

describe('what a run waits for', () => {
  const action = { name: 'ls', args: { path: '/' } };

  it('[web.approve] offers the decisions that the service allows, or all of them', () => {
    const value = {
      action_requests: [action, { name: 'bash' }],
      review_configs: [{ action_name: 'ls', allowed_decisions: ['reject', 'approve', 'respond'] }],
    };
    expect(readWaiting([{ id: 'i', value, namespace: ['tools:c'] }], ['tools'])).toEqual({
      kind: 'approval',
      id: 'i',
      asker: ['tools:c'],
      problem: undefined,
      actions: [
        { ...action, allowed: ['approve', 'reject'] },
        { name: 'bash', args: {}, allowed: ['approve', 'edit', 'reject'] },
      ],
    });
  });

  it('[web.ask] treats anything else as a question in words', () => {
    expect(readWaiting([{ id: 'i', value: 'Which one?' }], ['x'])).toMatchObject({ text: 'Which one?' });
    expect(readWaiting([{ id: 'i', value: { action_requests: [] } }], ['x'])).toMatchObject({
      kind: 'question',
      text: expect.stringContaining('action_requests'),
    });
  });

  it('[web.pause] is only a pause when nothing is asked, and nothing when nothing waits', () => {
    expect(readWaiting([{ when: 'breakpoint' }], ['tools'])).toMatchObject({
      kind: 'pause',
      next: ['tools'],
    });
    expect(readWaiting([], ['tools'])).toBeUndefined();
  });

  it('[web.approve.all] names the question that is answered when more than one is open', () => {
    const waiting = { kind: 'question', id: 'i', asker: [], text: '?' } as const;
    expect([resumeOf(waiting, 'yes', 1), resumeOf(waiting, 'yes', 2)]).toEqual(['yes', { i: 'yes' }]);
  });

  it('[web.approve.edit] keeps texts unchanged and everything else as JSON', () => {
    const args = { path: '/a', lines: [1, 2], append: false };
    const fields = toFields(args);
    expect(toArguments(fields)).toEqual({ kind: 'arguments', args });
    const broken = fields.map((it) => (it.name === 'lines' ? { ...it, text: '[1,' } : it));
    expect(toArguments(broken)).toEqual({ kind: 'invalid', field: 'lines' });
  });
});

describe('branches', () => {
  //  a - b - c - d        the first try, run 1
  //       \- e - f - g    another one, run 2, with a change of the title at the end
  const tree = [
    checkpoint('a', null, { source: 'input' }),
    checkpoint('b', 'a', { source: 'input', run: '1' }),
    checkpoint('c', 'b', { source: 'loop', run: '1' }),
    checkpoint('d', 'c', { source: 'loop', run: '1' }),
    checkpoint('e', 'b', { source: 'input', run: '2' }),
    checkpoint('f', 'e', { source: 'loop', run: '2' }),
    checkpoint('g', 'f', { source: 'update' }),
  ];

  it('[web.versions] counts the continuations of a checkpoint, each up to its newest one', () => {
    const path = pathTo('d', tree);
    expect(path.map((it) => it.checkpoint_id).join('')).toBe('abcd');
    const [fork, ...others] = forksOn(path, tree);
    expect(fork?.leaves.map((it) => it.checkpoint_id)).toEqual(['d', 'g']);
    expect([fork?.checkpointId, fork?.current, others]).toEqual(['b', 0, []]);
  });

  it('[web.error] shows the error of a run only on its branch', () => {
    const path = pathTo('d', tree);
    expect(['1', '2', 'unknown'].map((run) => isElsewhere(run, path, tree))).toEqual([false, true, false]);
  });

  it('[web.edit] finds the checkpoint of a message in few requests, over many pages', async () => {
    const count = 400;
    const idAt = (index: number) => `c${String(index).padStart(4, '0')}`;
    // Every second checkpoint says something; the first stands before all.
    const long = Array.from({ length: count }, (_, index) =>
      checkpoint(idAt(index), index === 0 ? null : idAt(index - 1), {
        source: index % 2 === 1 ? 'input' : 'loop',
      }),
    );
    const messagesOf = (index: number) =>
      Array.from({ length: Math.ceil(index / 2) }, (_, said) => ({ id: `m${said}` }));
    let reads = 0;
    const api = {
      checkpointsBefore: async (_: string, id: string) => {
        const end = long.findIndex((it) => it.checkpoint_id === id);
        const start = Math.max(0, end - 100);
        return { checkpoints: long.slice(start, end).reverse(), isLast: end < 100 };
      },
      messagesAt: async (_: string, id: string) => {
        reads += 1;
        return messagesOf(Number(id.slice(1)));
      },
    };
    const head = long.at(-1) ?? checkpoint('none', null, {});
    const search = { api, threadId: 't', head, messageId: 'm30' };
    const before = await findBranchPoint({ ...search, place: 'before' });
    expect([before.checkpointId, before.messages.length]).toEqual([idAt(60), 30]);
    expect(reads).toBeLessThan(16);
    const at = await findBranchPoint({ ...search, place: 'at' });
    expect([at.checkpointId, at.messages.length]).toEqual([idAt(61), 31]);
    await expect(findBranchPoint({ ...search, messageId: 'gone', place: 'at' })).rejects.toThrow(
      /no longer in the chat/,
    );
  });
});

function checkpoint(
  id: string,
  parent: string | null,
  { source, run }: { readonly source?: string; readonly run?: string },
): Checkpoint {
  return { checkpoint_id: id, parent_checkpoint_id: parent, next: [], metadata: { source, run_id: run } };
}

// The storage contract for the messages that make up a thread's conversation.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearchQuery } from '../../src/messages/search/search-query.ts';
import type { ThreadChange } from '../../src/storage/run-commits.ts';
import type { EventPageQuery } from '../../src/storage/run-events.ts';
import type { RunRecord, StopReason } from '../../src/storage/runs.ts';
import type { Storage } from '../../src/storage/storage.ts';
import {
  ANN,
  BOB,
  createThread,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

export function conversationContract(open: () => Promise<Storage>): void {
  describe('the conversation', () => {
    let storage: Storage;
    /** Whether each branch is settled before the next one. */
    let isSettling: boolean;
    beforeEach(async () => {
      isSettling = false;
      storage = await open();
      await createThread(storage, ANN, 't');
    });
    afterEach(() => storage.close());

    const head = async () => (await storage.as(ANN).threads.get('t'))?.headCheckpointId ?? null;
    const stepOf = async (checkpointId: string | null) =>
      checkpointId === null ? -1 : ((await storage.as(ANN).checkpoints.get('t', checkpointId))?.step ?? 0);

    /** Commits a run with one message per letter, each with a checkpoint of that name. */
    async function answer(
      letters: string,
      { from, stopReason = 'completed' }: { readonly from?: string; readonly stopReason?: StopReason } = {},
    ): Promise<void> {
      const run = await startRunOn(
        storage,
        ANN,
        sampleRun(`run-${letters}`, 't', { events: [question(letters)] }),
      );
      const branch = from === undefined ? {} : await branchAt(run, from);
      let parentId = from ?? (await head());
      const first = (await stepOf(parentId)) + 1;
      const checkpoints = [...letters].map((id, n) => {
        const delta = `{"messages":[{"id":"${id}","type":"ai"}],"values":{}}`;
        const made = sampleCheckpoint(id, parentId, { runId: run.runId, step: first + n, delta });
        parentId = id;
        return made;
      });
      const change = sampleChange(run, {
        checkpoints,
        events: [...letters].map((id) => sampleEvent({ id, type: 'ai', content: `said ${id}` })),
        run: { status: 'success', stopReason },
        thread: { ...branch, headCheckpointId: parentId, status: 'idle' },
      });
      expect(await storage.runCommits.commit([change], 3000)).toEqual({ lost: [], blocked: [] });
    }

    async function branchAt({ runId, attempt }: RunRecord, from: string): Promise<ThreadChange> {
      isSettling = !isSettling;
      if (isSettling) while (await storage.runCommits.settleNext());
      const heads = { fromId: await head(), toId: from };
      const move = await storage.runCommits.prepareMove('t', { ...heads, runId, attempt });
      if (move === undefined) throw new Error('the move was not prepared');
      return { branchedAt: from, move };
    }

    const question = (letters: string) =>
      sampleEvent({ id: `?${letters}`, type: 'human' }, { eventType: 'human_message' });
    const spoken = async (query: Partial<EventPageQuery> = {}, owner: string = ANN) => {
      const asked = { cursor: { kind: 'newest' }, limit: 100, ...query } as const;
      const { events, hasMore } = await storage.as(owner).runEvents.messages('t', asked);
      const ids = events
        .map(({ content }) => (content as { id: string }).id)
        .filter((id) => !id.startsWith('?'));
      return `${ids.join('')}${hasMore ? ' ...' : ''}`;
    };

    it('[messages.replaced] omits the messages that a branch replaces, and contains them again after going back', async () => {
      await answer('ab');
      await answer('cd');
      expect(await spoken()).toBe('abcd');
      await answer('x', { from: 'c' });
      expect(await spoken()).toBe('abcx');
      await answer('y', { from: 'a' });
      expect(await spoken()).toBe('ay');
      await answer('z', { from: 'd' });
      expect(await spoken()).toBe('abcdz');
      const everything = await storage
        .as(ANN)
        .runEvents.list('t', { cursor: { kind: 'newest' }, limit: 100 });
      expect(everything.events).toHaveLength(12);
    });

    it('[messages.replaced] is unchanged while a branch is only prepared, and the same before and after it is settled', async () => {
      await answer('ab');
      await answer('cd');
      const fromId = await head();
      const { runId, attempt } = await startRunOn(storage, ANN, sampleRun('run-x', 't'));
      const { runCommits } = storage;
      const late = { fromId, toId: 'a', runId, attempt: attempt - 1 };
      expect(await runCommits.prepareMove('t', late)).toBeUndefined();
      const other = await runCommits.prepareMove('t', { fromId, toId: 'c', runId, attempt });
      expect(other).toBeDefined();
      const move = await runCommits.prepareMove('t', { fromId, toId: 'a', runId, attempt });
      expect(await spoken()).toBe('abcd');
      expect(await runCommits.settleNext()).toBe(false);
      const run = await storage.as(ANN).runs.get(runId);
      if (run === undefined || move === undefined) throw new Error('not prepared');
      const change = (thread: ThreadChange) =>
        sampleChange(run, { run: { status: 'success', stopReason: 'completed' }, thread });
      await expect(runCommits.commit([change({ branchedAt: 'a' })], 3000)).rejects.toThrow('prepared');
      expect(await spoken()).toBe('abcd');
      const at = sampleCheckpoint('x', 'a', { runId, step: 1 });
      const branch = change({ branchedAt: 'a', move, headCheckpointId: 'x', status: 'idle' });
      expect(await runCommits.commit([{ ...branch, checkpoints: [at] }], 3000)).toEqual({
        lost: [],
        blocked: [],
      });
      const pages = async () => [
        await spoken(),
        await spoken({ limit: 1 }),
        await spoken({ runId: 'run-ab' }),
        await spoken({ cursor: { kind: 'after', seq: 2 } }),
        [...(await storage.as(ANN).runEvents.repliedAfter('t', ['run-ab', 'run-cd'], 0))].join(),
      ];
      const shown = ['a', '', 'a', '', 'run-ab'];
      expect((await pages()).map((it) => it.replace(' ...', ''))).toEqual(shown);
      const unsettled = await pages();
      expect(await runCommits.settleNext()).toBe(true);
      expect(await pages()).toEqual(unsettled);
      while (await runCommits.settleNext());
      expect(await pages()).toEqual(unsettled);
    });

    it('[search.replaced] is the scope of a search: a branch hides what it leaves, and going back finds it again', async () => {
      const found = async (q: string) => {
        const page = await storage.as(ANN).search.find(parseSearchQuery(q), { limit: 5, offset: 0 });
        return page.threads.flatMap(({ messages }) => messages.map(({ snippet }) => snippet.text));
      };
      await answer('ab');
      await answer('cd');
      await answer('x', { from: 'b' });
      expect(await found('said c')).toEqual([]);
      expect(await found('said')).toEqual(['said x', 'said b', 'said a']);
      await answer('y', { from: 'c' });
      expect(await found('said')).toEqual(['said y', 'said c', 'said b']);
      expect(await found('"said x"')).toEqual([]);
      await storage.as(ANN).threads.update('t', { displayName: 'Said', now: 4000 });
      expect(await found('said')).toEqual(['said y', 'said c', 'said b']);
    });

    it('[messages.replaced] follows a state update at an older checkpoint', async () => {
      await answer('ab');
      const { checkpoints } = storage.as(ANN);
      const expectedHead = await head();
      const at = sampleCheckpoint('u', 'a', { step: 1 });
      expect(await checkpoints.append('t', at, { expectedHead })).toBe('appended');
      expect(await spoken()).toBe('a');
      const root = sampleCheckpoint('v', null, { step: -1 });
      expect(await checkpoints.append('t', root, { expectedHead: 'u' })).toBe('appended');
      expect(await spoken()).toBe('');
      const back = sampleCheckpoint('w', 'b', { step: 2 });
      expect(await checkpoints.append('t', back, { expectedHead: 'v' })).toBe('appended');
      expect(await spoken()).toBe('ab');
    });

    it('[messages.rolled-back] omits runs that were rolled back or replaced', async () => {
      await answer('a');
      await answer('b', { stopReason: 'rolled_back' });
      await answer('c', { stopReason: 'replaced' });
      await answer('d', { stopReason: 'interrupted_by_user' });
      expect(await spoken()).toBe('ad');
      expect(await spoken({ runId: 'run-b' })).toBe('');
      expect(await spoken({ runId: 'run-d' })).toBe('d');
    });

    it('[messages.paging] is paged in rising seq', async () => {
      for (const letter of 'abcdefgh') await answer(letter);
      const seq = async (letter: string) =>
        (
          await storage
            .as(ANN)
            .runEvents.messages('t', { runId: `run-${letter}`, cursor: { kind: 'newest' }, limit: 9 })
        ).events.at(-1)?.seq ?? 0;
      expect(await spoken({ limit: 4 })).toBe('gh ...');
      expect(await spoken({ limit: 4, cursor: { kind: 'before', seq: await seq('g') } })).toBe('ef ...');
      expect(await spoken({ limit: 16, cursor: { kind: 'before', seq: await seq('c') } })).toBe('ab');
      expect(await spoken({ limit: 3, cursor: { kind: 'after', seq: await seq('f') } })).toBe('g ...');
      expect(await spoken({ limit: 4, cursor: { kind: 'after', seq: await seq('f') } })).toBe('gh');
      expect(await spoken({}, BOB)).toBe('');
    });

    it('[messages.last] knows the runs with replies after a position', async () => {
      await answer('abc');
      await answer('d');
      const { runEvents } = storage.as(ANN);
      expect(await runEvents.repliedAfter('t', ['run-abc', 'run-d'], 3)).toEqual(
        new Set(['run-abc', 'run-d']),
      );
      expect(await runEvents.repliedAfter('t', ['run-abc', 'run-d'], 4)).toEqual(new Set(['run-d']));
      expect(await storage.as(BOB).runEvents.repliedAfter('t', ['run-d'], 0)).toEqual(new Set());
    });
  });
}

// The storage contract for finding threads by words.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseSearchQuery } from '../../src/messages/search/search-query.ts';
import type { NewRunEvent } from '../../src/storage/run-events.ts';
import { type Owner, type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  BOB,
  createThread,
  finishRun,
  sampleChange,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

function said(type: 'human' | 'ai', text: string): NewRunEvent {
  const eventType = type === 'human' ? 'human_message' : 'ai_message';
  return sampleEvent({ type, id: `m-${text.slice(0, 5)}`, content: text }, { eventType });
}

export function messageSearchContract(open: () => Promise<Storage>): void {
  describe('message search', () => {
    let storage: Storage;
    let turns = 0;
    beforeEach(async () => {
      storage = await open();
    });
    afterEach(() => storage.close());

    const talkOf = async (owner: Owner, threadId: string, [question, answer]: readonly [string, string]) => {
      await createThread(storage, owner, threadId);
      const events = [said('human', question)];
      const run = await startRunOn(storage, owner, sampleRun(`run${++turns}`, threadId, { events }));
      await storage.runCommits.commit([sampleChange(run, { events: [said('ai', answer)] })], 3000);
      await finishRun(storage, run);
      return run;
    };
    const talk = (threadId: string, question: string, answer: string) =>
      talkOf(ANN, threadId, [question, answer]);
    const rename = (threadId: string, displayName: string) =>
      storage.as(ANN).threads.update(threadId, { displayName, now: 4000 });
    const find = (q: string, { owner = ANN as Owner, limit = 20, offset = 0 } = {}) =>
      storage.as(owner).search.find(parseSearchQuery(q), { limit, offset });
    const found = async (q: string, owner: Owner = ANN) =>
      (await find(q, { owner })).threads.map((thread) => thread.threadId).join(' ');

    it('[search.words] finds threads with a message that has all words, whatever their case and accents', async () => {
      await talk('t1', 'Wo liegt der Zürichsee?', 'In der Schweiz.');
      await talk('t2', 'Where is the café?', 'Straße number 5, "next to" the crème-brûlée shop');
      expect(await found('zurichsee')).toBe('t1');
      expect(await found('ZÜRICHSEE LIEGT')).toBe('t1');
      expect(await found('schweiz zurichsee')).toBe('');
      expect(await found('CAFE')).toBe('t2');
      expect(await found('strasse')).toBe('t2');
      expect(await found('creme brulee')).toBe('t2');
      expect(await found('absent')).toBe('');
    });

    it('[search.prefix] the last word may be a prefix, an earlier word or one before a space may not', async () => {
      await talk('t1', 'lighthouse keepers', 'sleep by day');
      expect(await found('light')).toBe('t1');
      expect(await found('lighthouse kee')).toBe('t1');
      expect(await found('light keepers')).toBe('');
      expect(await found('light ')).toBe('');
      expect(await found('"light"')).toBe('');
    });

    it('[search.phrases] quotes hold a phrase, and joined words are one', async () => {
      await talk('t1', 'the red boat and the blue sea', 'yes');
      await talk('t2', 'the blue boat and the red sea', 'see thread_id');
      expect(await found('"red boat"')).toBe('t1');
      expect(await found('"red sea" blue')).toBe('t2');
      expect(await found('red boat')).toBe('t2 t1');
      expect(await found('thread_id')).toBe('t2');
      expect(await found('id_thread')).toBe('');
      expect(await found('"red boat')).toBe('t2 t1');
    });

    it('[search.scripts] scripts without spaces are searched by their characters', async () => {
      await talk('t1', '今日はいい天気です', '日本語のテスト');
      await talk('t2', '오늘날씨가 좋다', 'Привет, мир ёлка');
      await talk('t3', 'ภาษาไทยง่าย', 'हिन्दी भाषा');
      expect(await found('天気')).toBe('t1');
      expect(await found('語')).toBe('t1');
      expect(await found('いい天気')).toBe('t1');
      expect(await found('気天')).toBe('');
      expect(await found('日天')).toBe('');
      expect(await found('날씨')).toBe('t2');
      expect(await found('елка')).toBe('t2');
      expect(await found('ไทย')).toBe('t3');
      expect(await found('हिन्दी')).toBe('t3');
    });

    it('[search.rank] titles come first, then the newest message; every thread once', async () => {
      await talk('old', 'a boat', 'boat');
      await talk('new', 'one boat', 'another boat');
      await talk('named', 'nothing', 'at all');
      await rename('named', 'The boat trip');
      const { threads } = await find('boat');
      expect(threads.map(({ threadId }) => threadId)).toEqual(['named', 'new', 'old']);
      expect(threads[0]).toMatchObject({ title: 'The boat trip', titleMarks: [[4, 8]], messages: [] });
      expect(threads[1]?.messages.map(({ snippet }) => snippet.text)).toEqual(['another boat', 'one boat']);
      expect(threads[1]?.messages[0]).toMatchObject({ type: 'ai', seq: 2, snippet: { marks: [[8, 12]] } });
    });

    it('shows with a matching title the matching messages, too', async () => {
      await talk('t1', 'where is the boat?', 'at sea');
      await rename('t1', 'Boat');
      const { threads } = await find('boat');
      expect(threads.map(({ titleMarks, messages }) => [titleMarks, messages.map((it) => it.seq)])).toEqual([
        [[[0, 4]], [1]],
      ]);
    });

    it('[search.pages] pages through all threads without losing or repeating one', async () => {
      for (let n = 0; n < 9; n++) await talk(`t${n}`, 'word '.repeat(n + 1), 'word word');
      await rename('t3', 'word');
      const pages = [];
      for (let offset = 0; offset < 10; offset += 4) pages.push(await find('word', { limit: 4, offset }));
      expect(pages.map(({ threads }) => threads.map(({ threadId }) => threadId).join(' '))).toEqual([
        't3 t8 t7 t6',
        't5 t4 t2 t1',
        't0',
      ]);
      expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false]);
    });

    it('a thread with hundreds of matching messages does not hide the others', async () => {
      await talk('small', 'needle', 'ok');
      const run = await talk('big', 'needle', 'ok');
      expect(run.threadId).toBe('big');
      const again = await startRunOn(storage, ANN, sampleRun('many', 'big'));
      const events = Array.from({ length: 400 }, (_, n) => said('ai', `needle ${n}`));
      await storage.runCommits.commit([sampleChange(again, { events })], 3000);
      const { threads } = await find('needle');
      expect(threads.map(({ threadId, messages }) => [threadId, messages.length])).toEqual([
        ['big', 3],
        ['small', 1],
      ]);
    });

    it('[search.pages] later pages continue after hundreds of threads', async () => {
      for (let n = 0; n < 170; n++) {
        await createThread(storage, ANN, `t${n}`);
        const events = Array.from({ length: 3 }, (_, m) => said('ai', `deep ${n} ${m}`));
        await startRunOn(storage, ANN, sampleRun(`deep${n}`, `t${n}`, { events }));
      }
      const { threads, hasMore } = await find('deep', { limit: 20, offset: 160 });
      expect(threads.map(({ threadId }) => threadId)).toEqual(
        Array.from({ length: 10 }, (_, n) => `t${9 - n}`),
      );
      expect(hasMore).toBe(false);
    });

    it("[owner.search] [search.shared] another user's threads are absent, ownerless ones are found by everybody", async () => {
      await talkOf(ANN, 'hers', ['secret plan', 'ok']);
      await talkOf(BOB, 'his', ['secret plan', 'ok']);
      await createThread(storage, UNSCOPED, 'shared');
      const run = await startRunOn(
        storage,
        UNSCOPED,
        sampleRun('s', 'shared', { events: [said('human', 'secret plan')] }),
      );
      await finishRun(storage, run);
      expect(await found('secret', ANN)).toBe('shared hers');
      expect(await found('secret', BOB)).toBe('shared his');
      expect(await found('secret', 'nobody')).toBe('shared');
      expect(await found('secret', UNSCOPED)).toBe('shared his hers');
      await storage.adoptOwnerlessThreads(BOB);
      expect(await found('secret', ANN)).toBe('hers');
      expect(await found('secret', BOB)).toBe('shared his');
    });

    it('[search.leaves] deleted, renamed, rolled-back and replaced texts are no longer found', async () => {
      await talk('t1', 'tulip', 'rose');
      await rename('t1', 'orchid');
      await rename('t1', 'lily');
      expect([await found('orchid'), await found('lily')]).toEqual(['', 't1']);
      const back = await startRunOn(storage, ANN, sampleRun('b', 't1', { events: [said('human', 'daisy')] }));
      expect(await found('daisy')).toBe('t1');
      const ended = { status: 'interrupted', stopReason: 'rolled_back' } as const;
      await storage.runCommits.commit([sampleChange(back, { run: ended, thread: { status: 'idle' } })], 3000);
      expect(await found('daisy')).toBe('');
      const gone = await talk('t1', 'violet', 'aster');
      expect(await found('aster')).toBe('t1');
      await storage.as(ANN).runs.delete(gone.runId);
      expect([await found('aster'), await found('tulip')]).toEqual(['', 't1']);
      await storage.as(ANN).threads.delete('t1');
      expect([await found('lily'), await found('tulip'), await found('rose')]).toEqual(['', '', '']);
    });

    it('[search.titles] titles are found however they were set: by a run, a patch, a copy', async () => {
      await createThread(storage, ANN, 't');
      const run = await startRunOn(storage, ANN, sampleRun('r', 't'));
      const titled = { thread: { displayName: 'Harbour lights', status: 'idle' } } as const;
      await storage.runCommits.commit([sampleChange(run, titled)], 3000);
      await storage.runCommits.commit([sampleChange(run, titled)], 3000);
      expect(await found('harbour')).toBe('t');
      await storage.as(ANN).threads.copy('t', { threadId: 'copy', metadata: {}, now: 5000 });
      expect(await found('harbour')).toBe('copy t');
    });

    it('[search.only-messages] traces and tool results are not found', async () => {
      await createThread(storage, ANN, 't');
      const run = await startRunOn(storage, ANN, sampleRun('r', 't'));
      const events = [
        sampleEvent(
          { type: 'ai', id: 'x', content: 'hidden' },
          { eventType: 'llm_request', category: 'trace' },
        ),
        sampleEvent({ type: 'tool', id: 'y', content: 'hidden' }, { eventType: 'tool_result' }),
        sampleEvent('hidden', { eventType: 'subagent_step', category: 'subagent' }),
      ];
      await storage.runCommits.commit([sampleChange(run, { events })], 3000);
      expect(await found('hidden')).toBe('');
    });

    it('[search.long] a message of megabytes, of odd characters or of one endless word is stored and found', async () => {
      const odd =
        'a\u0000b \ud83e\udd8a ﷽ '.repeat(3000) + Array.from({ length: 40_000 }, (_, n) => `﷽${n}`).join(' ');
      await talk('t1', `start ${odd}`, 'x'.repeat(3_000_000));
      await talk(
        't2',
        '漢字仮名'.repeat(50_000),
        Array.from({ length: 65_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join(
          '',
        ),
      );
      expect(await found('start')).toBe('t1');
      expect(await found('x'.repeat(100))).toBe('t1');
      expect(await found('仮名漢字')).toBe('t2');
    });

    it('[search.rebuild] the index is rebuilt from the record, a bounded amount at a time', async () => {
      const run = await talk('t1', 'tulip', 'rose');
      await rename('t1', 'lily');
      const again = await startRunOn(storage, ANN, sampleRun('many', 't1'));
      const events = Array.from({ length: 120 }, (_, n) => said('ai', `petal number${n}`));
      await storage.runCommits.commit([sampleChange(again, { events })], 3000);
      expect(run.threadId).toBe('t1');
      expect(await storage.searchIndex.compare('t1')).toEqual([]);
      await storage.searchIndex.rebuild('t1');
      expect(await found('petal')).toBe('');
      const missing = await storage.searchIndex.compare('t1');
      expect(missing).toHaveLength(123);
      expect(missing[0]).toEqual({ threadId: 't1', seq: null, kind: 'missing' });
      await talk('t2', 'meanwhile', 'new');
      let steps = 0;
      while (await storage.searchIndex.catchUp()) steps++;
      expect(steps).toBe(3);
      expect(await storage.searchIndex.compare('t1')).toEqual([]);
      expect([await found('tulip'), await found('lily'), await found('number119')]).toEqual([
        't1',
        't1',
        't1',
      ]);
      expect(await storage.searchIndex.catchUp()).toBe(false);
      await storage.searchIndex.rebuild('absent');
      expect(await storage.searchIndex.catchUp()).toBe(false);
    });
  });
}

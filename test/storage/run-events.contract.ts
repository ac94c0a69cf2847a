// The storage contract for run events.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../src/messages/message.ts';
import type { NewRunEvent, RunEventQuery } from '../../src/storage/run-events.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import {
  ANN,
  BOB,
  commitPatiently,
  sampleChange,
  sampleEvent,
  sampleRun,
  startRun,
  startRunOn,
} from './samples.ts';

const NEWEST = { kind: 'newest' } as const;

export function runEventsContract(open: () => Promise<Storage>): void {
  describe('run events', () => {
    let storage: Storage;
    let run: RunRecord;
    beforeEach(async () => {
      storage = await open();
      run = await startRun(storage, ANN, 'r');
    });
    afterEach(() => storage.close());

    const record = async (...events: NewRunEvent[]) => {
      expect(await storage.runCommits.commit([sampleChange(run, { events })], 3000)).toEqual({
        lost: [],
        blocked: [],
      });
    };
    const list = (query: Partial<RunEventQuery> = {}, owner: string | typeof UNSCOPED = ANN) =>
      storage.as(owner).runEvents.list(run.threadId, { cursor: NEWEST, limit: 100, ...query });
    const seqs = async (query: Partial<RunEventQuery>) => {
      const { events, hasMore } = await list(query);
      return `${events.map((event) => event.seq).join(' ')}${hasMore ? ' ...' : ''}`;
    };

    it('[events.content] strings are returned unchanged, all other content restored and flagged', async () => {
      const contents: Json[] = [
        'text',
        '',
        '{"looks":"like JSON"}',
        'a\u0000b',
        'x'.repeat(20_000),
        { type: 'ai', content: [{ type: 'text', text: 'ä💡' }], nothing: null },
        [1, 2.5, true],
        42,
        null,
      ];
      await record(
        ...contents.map((content) => sampleEvent(content, { metadata: { caller: 'lead_agent' } })),
      );
      const { events } = await list();
      expect(events.map((event) => event.content)).toEqual(contents);
      for (const { content, metadata } of events) {
        const flag = typeof content === 'string' ? {} : { content_is_json: true };
        expect(metadata).toEqual({ caller: 'lead_agent', ...flag });
      }
    });

    it('returns every field of an event', async () => {
      const event = sampleEvent('trace', { eventType: 'tool_start', category: 'trace', createdAt: 77 });
      await record(event);
      const { events } = await list();
      expect(events).toEqual([{ ...event, threadId: run.threadId, runId: 'r', seq: 1, userId: ANN }]);
    });

    it('[events.trace] long traces are returned whole, however often the same text recurs', async () => {
      const text = 'prompt '.repeat(1000);
      const other = { messages: [text] };
      await record(
        ...[text, text, other, 'short'].map((content) => sampleEvent(content, { category: 'trace' })),
      );
      await record(sampleEvent(text, { category: 'trace' }), sampleEvent(text));
      const contents = (await list()).events.map((event) => event.content);
      expect(contents).toEqual([text, text, other, 'short', text, text]);
    });

    it('[events.paging] cursors open windows in rising seq, which know of events beyond them', async () => {
      await record(...Array.from({ length: 9 }, (_, n) => sampleEvent(`event ${n}`)));
      expect(await seqs({ limit: 3 })).toBe('7 8 9 ...');
      expect(await seqs({ limit: 9 })).toBe('1 2 3 4 5 6 7 8 9');
      expect(await seqs({ limit: 3, cursor: { kind: 'before', seq: 7 } })).toBe('4 5 6 ...');
      expect(await seqs({ limit: 3, cursor: { kind: 'before', seq: 4 } })).toBe('1 2 3');
      expect(await seqs({ limit: 3, cursor: { kind: 'before', seq: 1 } })).toBe('');
      expect(await seqs({ limit: 3, cursor: { kind: 'after', seq: 0 } })).toBe('1 2 3 ...');
      expect(await seqs({ limit: 3, cursor: { kind: 'after', seq: 6 } })).toBe('7 8 9');
      expect(await seqs({ limit: 3, cursor: { kind: 'after', seq: 9 } })).toBe('');
    });

    it('[events.filter] finds the events of a run and of given types', async () => {
      await record(
        sampleEvent('a', { eventType: 'ai_message' }),
        sampleEvent('b', { eventType: 'llm_request', category: 'trace' }),
        sampleEvent('c', { eventType: 'run_end', category: 'lifecycle' }),
      );
      await storage.runCommits.commit([sampleChange(run, { run: { status: 'success' } })], 3000);
      const next = sampleRun('next', run.threadId, { events: [sampleEvent('d')] });
      await startRunOn(storage, ANN, next);
      expect(await seqs({ runId: 'r' })).toBe('1 2 3');
      expect(await seqs({ runId: 'next' })).toBe('4');
      expect(await seqs({ eventTypes: ['ai_message', 'run_end'], limit: 2 })).toBe('3 4 ...');
      expect(await seqs({ eventTypes: ['ai_message'], runId: 'next' })).toBe('4');
      expect(await seqs({ eventTypes: ['llm_request', 'run_end'] })).toBe('2 3');
      expect(await seqs({ eventTypes: ['nothing'] })).toBe('');
    });

    it('[events.seq] seq rises by one in each thread, without holes, under concurrent writers', async () => {
      const other = await startRun(storage, ANN, 'other');
      const commits = Array.from({ length: 20 }, (_, n) => {
        const events = Array.from({ length: (n % 3) + 1 }, (_unused, k) => sampleEvent(`${n}.${k}`));
        const target = n % 4 === 0 ? other : run;
        return commitPatiently(storage, [sampleChange(target, { events })]);
      });
      const admissions = Array.from({ length: 5 }, (_, n) =>
        storage.as(ANN).runs.admit(sampleRun(`q${n}`, run.threadId, { events: [sampleEvent('?')] })),
      );
      await Promise.all([...commits, ...admissions]);
      for (const { threadId } of [run, other]) {
        const { events } = await storage.as(ANN).runEvents.list(threadId, { cursor: NEWEST, limit: 100 });
        expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
        const texts = events.map((event) => String(event.content)).filter((text) => text !== '?');
        expect(texts.length).toBe(threadId === other.threadId ? 9 : 30);
      }
    });

    it("[owner.events] another user's events are absent, an ownerless one in a thread is its owner's", async () => {
      await record(sampleEvent('hers'));
      await storage.runCommits.commit(
        [{ ...sampleChange(run), userId: null, events: [sampleEvent('no one')] }],
        1,
      );
      expect((await list({}, BOB)).events).toEqual([]);
      expect((await list({}, ANN)).events.map((event) => event.content)).toEqual(['hers', 'no one']);
      expect((await list({}, UNSCOPED)).events).toHaveLength(2);
    });

    it('an unknown thread has no events', async () => {
      const page = await storage.as(ANN).runEvents.list('unknown', { cursor: NEWEST, limit: 5 });
      expect(page).toEqual({ events: [], hasMore: false });
    });
  });
}

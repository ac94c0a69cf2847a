// Changing many messages in one transaction takes a bounded number of statements.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ThreadChange } from '../../src/storage/run-commits.ts';
import type { MessageRevision } from '../../src/storage/run-events.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { type CountedStorage, openCountedStorage } from '../support/counted-storage.ts';
import {
  ANN,
  createThread,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  startRunOn,
} from './samples.ts';

const MESSAGES = 200;
const TURNS = 401;

describe('the statements of a transaction', () => {
  let counted: CountedStorage;
  beforeEach(async () => {
    counted = await openCountedStorage();
    await createThread(counted.storage, ANN, 't');
  });
  afterEach(() => counted.storage.close());

  /** Returns the largest counts of a transaction since the last call. */
  function most() {
    const transactions = counted.transactions();
    return {
      statements: Math.max(...transactions.map(({ statements }) => statements)),
      written: Math.max(...transactions.map(({ written }) => written)),
    };
  }

  async function settle(): Promise<void> {
    while (await counted.storage.runCommits.settleNext());
  }

  const ids = Array.from({ length: MESSAGES }, (_, n) => `m${n}`);
  const said = (id: string, content: string) => ({ id, type: 'ai', content });

  async function say(): Promise<void> {
    const { storage } = counted;
    const run = await startRunOn(storage, ANN, sampleRun('r', 't'));
    const delta = JSON.stringify({ messages: ids.map((id) => said(id, 'walrus')), values: {} });
    const change = sampleChange(run, {
      checkpoints: [sampleCheckpoint('c', null, { runId: run.runId, delta })],
      events: ids.map((id) => sampleEvent(said(id, 'walrus'))),
      run: { status: 'success', stopReason: 'completed' },
      thread: { headCheckpointId: 'c', status: 'idle' },
    });
    expect(await storage.runCommits.commit([change], 3000)).toEqual({ lost: [], blocked: [] });
  }

  /** Commits a turn of two messages, with a checkpoint of that name; returns the counts of its commit. */
  async function answer(name: string, from: string | null) {
    const { storage } = counted;
    const run = await startRunOn(storage, ANN, sampleRun(`run-${name}`, 't'));
    const messages = [said(`?${name}`, 'walrus'), said(`!${name}`, 'walrus')];
    const parent = from === null ? undefined : await storage.as(ANN).checkpoints.get('t', from);
    const step = (parent?.step ?? -1) + 1;
    const delta = JSON.stringify({ messages, values: {} });
    counted.transactions();
    const thread = from === null ? {} : await moved(run, from);
    const prepared = most();
    const change = sampleChange(run, {
      checkpoints: [sampleCheckpoint(name, from, { runId: run.runId, step, delta })],
      events: messages.map((message) => sampleEvent(message)),
      run: { status: 'success', stopReason: 'completed' },
      thread: { ...thread, headCheckpointId: name, status: 'idle' },
    });
    expect(await storage.runCommits.commit([change], 3000)).toEqual({ lost: [], blocked: [] });
    return { prepared, commit: most() };
  }

  /** Prepares the move of a run that does not continue from the head. */
  async function moved({ runId, attempt }: RunRecord, toId: string): Promise<ThreadChange> {
    const { storage } = counted;
    const fromId = (await storage.as(ANN).threads.get('t'))?.headCheckpointId ?? null;
    if (fromId === toId) return {};
    const move = await storage.runCommits.prepareMove('t', { fromId, toId, runId, attempt });
    return move === undefined ? {} : { branchedAt: toId, move };
  }

  function revision(messageId: string, checkpointId: string): MessageRevision {
    const isRemoved = checkpointId === 'removing';
    const event = sampleEvent(isRemoved ? '' : said(messageId, 'otter'), {
      eventType: isRemoved ? 'message_removed' : 'message_edited',
      metadata: { message_id: messageId, checkpoint_id: checkpointId },
    });
    return { messageId, event, isReturn: false };
  }

  /** Changes all messages; returns the largest counts of a transaction. */
  async function change(checkpointId: string, expectedHead: string, parentId = expectedHead) {
    counted.transactions();
    const { checkpoints } = counted.storage.as(ANN);
    const checkpoint = sampleCheckpoint(checkpointId, parentId, { step: 1 });
    const revisions = parentId === expectedHead ? ids.map((id) => revision(id, checkpointId)) : [];
    expect(await checkpoints.append('t', checkpoint, { expectedHead, revisions })).toBe('appended');
    return most();
  }

  async function listed(): Promise<readonly unknown[]> {
    const asked = { cursor: { kind: 'newest' }, limit: 3 * TURNS } as const;
    const { events } = await counted.storage.as(ANN).runEvents.messages('t', asked);
    return events.map(({ content }) => content);
  }

  it('[storage.branch.statements] writes as much when a run replaces 800 messages as when it replaces two', async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await answer(`${turn}`, turn === 0 ? null : `${turn - 1}`);
    const near = await answer('near', `${TURNS - 2}`);
    const far = await answer('far', '0');
    expect(await listed()).toEqual(['?0', '!0', '?far', '!far'].map((id) => said(id, 'walrus')));
    counted.transactions();
    await settle();
    const settled = most();
    expect(await listed()).toHaveLength(4);
    const back = await answer('back', `${TURNS - 1}`);
    expect(await listed()).toHaveLength(2 * TURNS + 2);
    expect([far.commit, back.commit]).toEqual([near.commit, near.commit]);
    // Before the commit and after it, a page at a time.
    for (const { statements, written } of [far.prepared, back.prepared, settled]) {
      expect(statements).toBeLessThan(20);
      expect(written).toBeGreaterThan(200);
      expect(written).toBeLessThan(300);
    }
  });

  it('[storage.revisions.statements] are few where a state update edits 200 messages, removes them, or goes back', async () => {
    await say();
    expect((await change('editing', 'c')).statements).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual(ids.map((id) => said(id, 'otter')));
    const removing = await change('removing', 'editing');
    expect(removing.statements).toBeLessThan(MESSAGES / 4);
    expect(removing.written).toBeLessThan(300);
    expect(await listed()).toEqual([]);
    expect((await change('back', 'removing', 'c')).statements).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual(ids.map((id) => said(id, 'walrus')));
  });
});

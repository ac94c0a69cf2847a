// What changes many messages at once takes a bounded number of statements.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ThreadChange } from '../../src/storage/run-commits.ts';
import type { MessageRevision } from '../../src/storage/run-events.ts';
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

  const mostStatements = () => Math.max(...counted.transactions().map(({ statements }) => statements));

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
    expect(await storage.runCommits.commit([change], 3000)).toEqual([]);
  }

  /** A turn of two messages, with a checkpoint of its name. */
  async function answer(
    name: string,
    { from, thread }: { readonly from: string | null; readonly thread?: ThreadChange },
  ): Promise<void> {
    const { storage } = counted;
    const run = await startRunOn(storage, ANN, sampleRun(`run-${name}`, 't'));
    const messages = [said(`?${name}`, 'walrus'), said(`!${name}`, 'walrus')];
    const parent = from === null ? undefined : await storage.as(ANN).checkpoints.get('t', from);
    const step = (parent?.step ?? -1) + 1;
    const delta = JSON.stringify({ messages, values: {} });
    const change = sampleChange(run, {
      checkpoints: [sampleCheckpoint(name, from, { runId: run.runId, step, delta })],
      events: messages.map((message) => sampleEvent(message)),
      run: { status: 'success', stopReason: 'completed' },
      thread: { ...thread, headCheckpointId: name, status: 'idle' },
    });
    counted.transactions();
    expect(await storage.runCommits.commit([change], 3000)).toEqual([]);
  }

  /** A turn from an older checkpoint, and what it took. */
  async function branch(name: string, toId: string) {
    const { storage } = counted;
    const fromId = (await storage.as(ANN).threads.get('t'))?.headCheckpointId ?? null;
    const move = await storage.runCommits.planMove('t', { fromId, toId });
    await answer(name, { from: toId, thread: { branchedAt: toId, move } });
    const statements = mostStatements();
    return { statements, left: move.left.length, returned: move.returned.length };
  }

  function revision(messageId: string, checkpointId: string): MessageRevision {
    const isRemoved = checkpointId === 'removing';
    const event = sampleEvent(isRemoved ? '' : said(messageId, 'otter'), {
      eventType: isRemoved ? 'message_removed' : 'message_edited',
      metadata: { message_id: messageId, checkpoint_id: checkpointId },
    });
    return { messageId, event, isReturn: false };
  }

  /** The statements of the transaction that changes all messages. */
  async function change(checkpointId: string, expectedHead: string): Promise<number> {
    counted.transactions();
    const { checkpoints } = counted.storage.as(ANN);
    const checkpoint = sampleCheckpoint(checkpointId, expectedHead, { step: 1 });
    const revisions = ids.map((id) => revision(id, checkpointId));
    expect(await checkpoints.append('t', checkpoint, { expectedHead, revisions })).toBe('appended');
    return mostStatements();
  }

  async function listed(): Promise<readonly unknown[]> {
    const asked = { cursor: { kind: 'newest' }, limit: 3 * TURNS } as const;
    const { events } = await counted.storage.as(ANN).runEvents.messages('t', asked);
    return events.map(({ content }) => content);
  }

  it('[storage.branch.statements] are hardly more where a run leaves 800 messages behind than where it leaves two', async () => {
    for (let turn = 0; turn < TURNS; turn += 1)
      await answer(`${turn}`, { from: turn === 0 ? null : `${turn - 1}` });
    const near = await branch('near', `${TURNS - 2}`);
    expect(near).toMatchObject({ left: 2, returned: 0 });
    const far = await branch('far', '0');
    expect(far).toMatchObject({ left: 2 * TURNS - 2, returned: 0 });
    expect(await listed()).toEqual(['?0', '!0', '?far', '!far'].map((id) => said(id, 'walrus')));
    const back = await branch('back', `${TURNS - 1}`);
    expect(back).toMatchObject({ left: 2, returned: 2 * TURNS - 2 });
    expect(await listed()).toHaveLength(2 * TURNS + 2);
    for (const { statements } of [far, back]) expect(statements).toBeLessThan(near.statements + 5);
  });

  it('[storage.revisions.statements] are few where a state update says 200 messages anew, takes them out, or goes back', async () => {
    await say();
    expect(await change('editing', 'c')).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual(ids.map((id) => said(id, 'otter')));
    expect(await change('removing', 'editing')).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual([]);
    counted.transactions();
    const back = sampleCheckpoint('back', 'c', { step: 1 });
    const { checkpoints } = counted.storage.as(ANN);
    expect(await checkpoints.append('t', back, { expectedHead: 'removing' })).toBe('appended');
    expect(mostStatements()).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual(ids.map((id) => said(id, 'walrus')));
  });
});

// What changes many messages at once takes a bounded number of statements.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

describe('the statements of a transaction', () => {
  let counted: CountedStorage;
  beforeEach(async () => {
    counted = await openCountedStorage();
    await createThread(counted.storage, ANN, 't');
  });
  afterEach(() => counted.storage.close());

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
    return Math.max(...counted.transactions());
  }

  async function listed(): Promise<readonly unknown[]> {
    const asked = { cursor: { kind: 'newest' }, limit: 2 * MESSAGES } as const;
    const { events } = await counted.storage.as(ANN).runEvents.messages('t', asked);
    return events.map(({ content }) => content);
  }

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
    expect(Math.max(...counted.transactions())).toBeLessThan(MESSAGES / 4);
    expect(await listed()).toEqual(ids.map((id) => said(id, 'walrus')));
  });
});

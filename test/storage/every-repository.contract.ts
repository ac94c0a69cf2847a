// Each method of each repository, called by another user: foreign rows are absent, ownerless ones are
// read-only.
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Owner, type Repositories, type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { ownedCalls } from './owned-calls.ts';
import {
  ANN,
  BOB,
  createThread,
  sampleChange,
  sampleCheckpoint,
  sampleEvent,
  sampleRun,
  sampleSchedule,
  sampleTask,
  sampleUser,
  startRunOn,
} from './samples.ts';
import { sampleSession } from './sessions.contract.ts';

const EVE = 'user-eve';
const FRAMES = { firstSeq: 1, lastSeq: 1, attempt: 1, events: '["x"]' };

export function everyRepositoryContract(open: () => Promise<Storage>): void {
  describe('every repository', () => {
    const opened = async () => {
      const storage = await open();
      onTestFinished(() => storage.close());
      return storage;
    };

    it('[owner.every-method] every method of every repository has a case', async () => {
      const { ahead, onDisk: _, ...repositories } = (await opened()).as(ANN);
      // `ahead` has the same repositories.
      expect(Object.keys(ahead)).toEqual([...Object.keys(repositories), 'ahead', 'onDisk']);
      const methods = Object.entries(repositories).flatMap(([name, repository]) =>
        Object.keys(repository).map((method) => `${name}.${method}`),
      );
      expect(Object.keys(ownedCalls).toSorted()).toEqual(methods.toSorted());
    });

    it.each(Object.entries(ownedCalls))(
      '[owner.every-method] %s sees and changes nothing of another user',
      async (_, { call, nothing }) => {
        const storage = await opened();
        await fill(storage, BOB);
        const before = await everything(storage.as(BOB));
        expect(await call(storage.as(EVE))).toEqual(nothing);
        expect(await everything(storage.as(BOB))).toEqual(before);
      },
    );

    it.each(Object.entries(ownedCalls))(
      '[owner.every-method] %s finds its owner’s rows, so that its case can fail',
      async (_, { call, nothing, own }) => {
        const storage = await opened();
        await fill(storage, BOB);
        const answer = await call(storage.as(BOB));
        if (own === undefined) expect(answer).not.toEqual(nothing);
        else expect(answer).toEqual(own);
      },
    );

    it.each(Object.entries(ownedCalls).filter(([, { ownerless }]) => ownerless === 'read'))(
      '[owner.every-method] [owner.shared] %s reads ownerless rows',
      async (_, { call, nothing }) => {
        const storage = await opened();
        await fill(storage, UNSCOPED);
        expect(await call(storage.as(EVE))).not.toEqual(nothing);
      },
    );

    it.each(Object.entries(ownedCalls).filter(([, { ownerless }]) => ownerless === 'refused'))(
      '[owner.every-method] [owner.shared] %s refuses ownerless rows',
      async (_, { call, nothing }) => {
        const storage = await opened();
        await fill(storage, UNSCOPED);
        const before = await everything(storage.as(UNSCOPED));
        expect(await call(storage.as(EVE))).toEqual(nothing);
        expect(await everything(storage.as(UNSCOPED))).toEqual(before);
      },
    );
  });
}

/** Creates a thread with at least one row of every kind that a repository reads. */
async function fill(storage: Storage, owner: Owner): Promise<void> {
  const repositories = storage.as(owner);
  const threadId = 'thread-of-r';
  await createThread(storage, owner, threadId);
  const run = await startRunOn(
    storage,
    owner,
    sampleRun('r', threadId, { idempotencyKey: 'key', webhook: 'https://example.com' }),
  );
  await repositories.threads.update(threadId, { metadata: { topic: 'x' }, displayName: 'whale', now: 1500 });
  const root = sampleCheckpoint('root', null, { runId: 'r' });
  const change = sampleChange(run, {
    events: [
      sampleEvent({ type: 'ai', id: 'm', content: 'a whale' }),
      sampleEvent('trace', { category: 'trace' }),
    ],
    frames: FRAMES,
    checkpoints: [root],
    run: { status: 'success', stopReason: 'completed' },
    thread: { status: 'idle', headCheckpointId: 'root' },
    spent: owner === UNSCOPED ? [] : [SPENT],
    backgroundTasks: owner === UNSCOPED ? [] : [sampleTask('task')],
  });
  await storage.runCommits.commit([change], 3000);
  const claim = { now: 5_000, leaseUntil: 6_000, limit: 9, fullUsers: [] };
  for (const delivery of await storage.webhookDeliveries.claim(claim)) {
    const outcome = { status: 'failed', lastStatus: 500, lastError: 'bad_status' } as const;
    await storage.webhookDeliveries.finish(delivery, outcome, 5_001);
  }
  if (owner === UNSCOPED) return;
  await repositories.feedback.put({ ...RATING, threadId });
  await repositories.apiKeys.create(KEY, 9);
  await repositories.storeItems.put(ITEM, { items: 9, bytes: 999 }, 1);
  await repositories.skillStates.set('custom/tea', false);
  await repositories.skillStates.set('public/cake', false);
  await repositories.agents.create(agent('tea'), 9);
  await repositories.agents.create(agent('coffee'), 9);
  await repositories.agents.delete('coffee', { now: 2, kept: 9 });
  await storage.users.insert(sampleUser(owner));
  await repositories.skillStates.claim({ name: 'tea', holder: 'h', until: 20 }, 1);
  await repositories.memories.save(
    { agent: 'lead_agent', from: 0, facts: [FACT], previous: null },
    { mostAgents: 9, now: 1 },
  );
  await repositories.memories.switch(true);
  await repositories.schedules.create(sampleSchedule('schedule'), 9);
  const [schedule] = await storage.scheduleFires.due(60_000, 9);
  if (schedule === undefined) throw new Error('nothing is due');
  const decision = { slot: 60_000, outcome: 'run', nextRunAt: 120_000, now: 60_001 } as const;
  await storage.scheduleFires.decide(schedule, { ...decision, newThreadId: 'new', kept: 9 });
  await storage.sessions.open(sampleSession('s', { userId: owner }), 9);
}

const agent = (name: string) => ({
  agentId: `agent-${name}`,
  name,
  versions: [
    { description: '', model: null, toolGroups: null, skills: null, soul: `of ${name}`, createdAt: 1 },
  ],
});
const RATING = {
  feedbackId: 'f',
  runId: 'r',
  messageId: null,
  rating: 1,
  comment: null,
  createdAt: 1,
} as const;
const KEY = {
  keyId: 'k',
  name: 'n',
  hint: 'h',
  hash: 'hash',
  scopes: ['read'],
  createdAt: 1,
  expiresAt: null,
} as const;
const ITEM = { namespace: ['notes'], key: 'k', value: { text: 'a whale' }, ttlMs: 1000 };
const FACT = {
  id: 'f',
  content: 'a whale',
  category: 'context',
  confidence: 1,
  createdAt: 1,
  source: { kind: 'manual' },
} as const;
const SPENT = {
  at: Date.UTC(2026, 0, 2),
  model: 'm',
  tokens: 1,
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 0,
  cost: {},
};

/** Returns everything that the owner can read of the thread and besides it. */
async function everything(repositories: Repositories): Promise<readonly unknown[]> {
  const threadId = 'thread-of-r';
  return [
    await repositories.threads.get(threadId),
    await repositories.runs.list(threadId, { limit: 9, offset: 0 }),
    await repositories.runEvents.list(threadId, { cursor: { kind: 'newest' }, limit: 99 }),
    await repositories.frames.read('r', 0, 99),
    await repositories.checkpoints.list(threadId, { limit: 9 }),
    await repositories.feedback.list(threadId, ['r']),
    await repositories.apiKeys.list(),
    await repositories.sessions.list(0),
    await repositories.storeItems.scan({ prefix: [], after: undefined, limit: 9, now: 2 }),
    await repositories.memories.list(),
    await repositories.memories.isOff(),
    await repositories.usage.days({ from: '2000-01-01', to: '2100-01-01' }),
    await repositories.agents.list(),
    [...(await repositories.webhooks.of(['r']))],
    await repositories.schedules.list(),
    await repositories.schedules.fires('schedule', { limit: 9 }),
  ];
}

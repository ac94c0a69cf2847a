// A call of each repository method for the rows of `every-repository.contract.ts`, and its result for another
// user.
import { parseSearchQuery } from '../../src/messages/search/search-query.ts';
import type { RunTotals } from '../../src/storage/runs.ts';
import type { Repositories } from '../../src/storage/storage.ts';
import { CANCEL, NEWEST_FIRST, sampleCheckpoint, sampleRun, sampleSchedule } from './samples.ts';

interface OwnedCall {
  readonly call: (repositories: Repositories) => Promise<unknown>;
  /** The result where there are no rows. */
  readonly nothing: unknown;
  /** The result for the owner, where it is not just any other value. */
  readonly own?: unknown;
  /** `personal`: such rows always have an owner. */
  readonly ownerless: 'read' | 'refused' | 'personal';
}

const THREAD = 'thread-of-r';
const PAGE = { cursor: { kind: 'newest' }, limit: 9 } as const;
const RATING = {
  feedbackId: 'new',
  threadId: THREAD,
  runId: 'r',
  messageId: null,
  rating: -1,
  comment: null,
  createdAt: 9,
} as const;
const NO_STATS = { count: 0, sum: 0, positive: 0, negative: 0 };
const NEW_KEY = {
  keyId: 'k2',
  name: 'n',
  hint: 'h',
  hash: 'hash2',
  scopes: ['read'],
  createdAt: 1,
  expiresAt: null,
} as const;
const NO_EVENTS = { events: [], hasMore: false };
const NO_USAGE = {
  runs: 0,
  tokens: 0,
  inputTokens: 0,
  outputTokens: 0,
  leadAgentTokens: 0,
  subagentTokens: 0,
  middlewareTokens: 0,
  byModel: {},
};

const reading = (nothing: unknown, call: OwnedCall['call']): OwnedCall => ({
  call,
  nothing,
  ownerless: 'read',
});
const changing = (nothing: unknown, call: OwnedCall['call']): OwnedCall => ({
  call,
  nothing,
  ownerless: 'refused',
});
const personal = (nothing: unknown, call: OwnedCall['call']): OwnedCall => ({
  call,
  nothing,
  ownerless: 'personal',
});

const threads: Record<keyof Repositories['threads'] & string, OwnedCall> = {
  create: changing('taken', ({ threads: it }) =>
    it.create({ threadId: THREAD, metadata: {}, assistantId: null, now: 9000 }),
  ),
  get: reading(undefined, ({ threads: it }) => it.get(THREAD)),
  search: reading([], ({ threads: it }) => it.search({ ...NEWEST_FIRST, metadata: { topic: 'x' } })),
  count: reading(0, ({ threads: it }) => it.count({ metadata: { topic: 'x' } })),
  update: changing(undefined, ({ threads: it }) => it.update(THREAD, { displayName: 'mine', now: 9000 })),
  copy: reading(undefined, ({ threads: it }) => it.copy(THREAD, { threadId: 'c', metadata: {}, now: 9 })),
  delete: changing('absent', ({ threads: it }) => it.delete(THREAD)),
};

const runs: Record<keyof Repositories['runs'] & string, OwnedCall> = {
  admit: changing({ kind: 'no_thread' }, ({ runs: it }) => it.admit(sampleRun('r2', THREAD))),
  get: reading(undefined, ({ runs: it }) => it.get('r')),
  findByIdempotencyKey: personal(undefined, ({ runs: it }) => it.findByIdempotencyKey('key', 1001)),
  cancel: changing('absent', ({ runs: it }) => it.cancel('r', CANCEL)),
  delete: changing('absent', ({ runs: it }) => it.delete('r')),
  list: reading([], ({ runs: it }) => it.list(THREAD, { limit: 9, offset: 0 })),
};

const runEvents: Record<keyof Repositories['runEvents'] & string, OwnedCall> = {
  list: reading(NO_EVENTS, ({ runEvents: it }) => it.list(THREAD, PAGE)),
  messages: reading(NO_EVENTS, ({ runEvents: it }) => it.messages(THREAD, PAGE)),
  repliedAfter: reading(new Set(), ({ runEvents: it }) => it.repliedAfter(THREAD, ['r'], 0)),
};

const feedback: Record<keyof Repositories['feedback'] & string, OwnedCall> = {
  create: { ...changing('absent', ({ feedback: it }) => it.create(RATING)), own: 'exists' },
  put: changing('absent', ({ feedback: it }) => it.put(RATING)),
  list: personal([], ({ feedback: it }) => it.list(THREAD, ['r'])),
  stats: personal(NO_STATS, ({ feedback: it }) => it.stats(THREAD, 'r')),
  delete: changing(false, ({ feedback: it }) => it.delete({ threadId: THREAD, runId: 'r' })),
};

const frames: Record<keyof Repositories['frames'] & string, OwnedCall> = {
  read: reading([], ({ frames: it }) => it.read('r', 0, 99)),
  readBack: reading([], ({ frames: it }) => it.readBack('r', { limit: 9 })),
};

const checkpoints: Record<keyof Repositories['checkpoints'] & string, OwnedCall> = {
  get: reading(undefined, ({ checkpoints: it }) => it.get(THREAD, 'root')),
  delta: reading(undefined, ({ checkpoints: it }) => it.delta(THREAD, 'root')),
  headBytes: reading(0, ({ checkpoints: it }) => it.headBytes([THREAD])),
  list: reading([], ({ checkpoints: it }) => it.list(THREAD, { limit: 9 })),
  current: reading(undefined, ({ checkpoints: it }) => it.current(THREAD)),
  lineage: reading([], ({ checkpoints: it }) => it.lineage(THREAD, 'root')),
  append: changing('no_thread', ({ checkpoints: it }) =>
    it.append(THREAD, sampleCheckpoint('next', 'root'), { expectedHead: 'root' }),
  ),
};

const search: Record<keyof Repositories['search'] & string, OwnedCall> = {
  find: reading({ threads: [], hasMore: false }, ({ search: it }) =>
    it.find(parseSearchQuery('whale '), { limit: 9, offset: 0 }),
  ),
};

const apiKeys: Record<keyof Repositories['apiKeys'] & string, OwnedCall> = {
  // Keys of other users do not count; the owner has one already.
  create: { ...personal('created', createKey), own: 'too_many' },
  list: personal([], ({ apiKeys: it }) => it.list()),
  delete: personal(false, ({ apiKeys: it }) => it.delete('k')),
  deleteAll: personal(0, ({ apiKeys: it }) => it.deleteAll()),
};

const sessions: Record<keyof Repositories['sessions'] & string, OwnedCall> = {
  list: personal([], ({ sessions: it }) => it.list(0)),
  end: personal(false, ({ sessions: it }) => it.end('s')),
  endOthers: personal(0, ({ sessions: it }) => it.endOthers('other')),
};

const usage: Record<keyof Repositories['usage'] & string, OwnedCall> = {
  ofThread: reading(NO_USAGE, ({ usage: it }) => it.ofThread(THREAD)),
  // The spending is the caller's own; the run gets new totals only if it is the caller's.
  countLate: changing(false, async ({ usage: it }) => {
    let wasFound = false;
    const totals = (before: RunTotals) => {
      wasFound = true;
      return { ...before, totalTokens: before.totalTokens + 1 };
    };
    await it.countLate({ runId: 'r', record: [], spent: [], totals, now: 9000 });
    return wasFound;
  }),
  metadataBytes: personal(0, ({ usage: it }) => it.metadataBytes()),
  days: personal([], ({ usage: it }) => it.days({ from: '2000-01-01', to: '2100-01-01' })),
};

const threadExports: Record<keyof Repositories['threadExports'] & string, OwnedCall> = {
  cut: reading(undefined, ({ threadExports: it }) => it.cut(THREAD)),
  threadIds: changing([], ({ threadExports: it }) => it.threadIds(undefined, 9)),
  exists: reading(false, ({ threadExports: it }) => it.exists(THREAD)),
};

const ITEM = { namespace: ['notes'], key: 'k' };
const NEW_ITEM = { ...ITEM, value: { text: 'whale' }, ttlMs: null };
const BELOW = { prefix: ['notes'], now: 9 };

const storeItems: Record<keyof Repositories['storeItems'] & string, OwnedCall> = {
  put: {
    ...personal('created', async ({ storeItems: it }) => {
      await it.put(NEW_ITEM, { items: 9, bytes: 999 }, 9);
      return (await it.get(ITEM, 9))?.createdAt === 9 ? 'created' : 'replaced';
    }),
    own: 'replaced',
  },
  get: personal(undefined, ({ storeItems: it }) => it.get(ITEM, 9)),
  delete: personal(false, ({ storeItems: it }) => it.delete(ITEM)),
  list: personal([], ({ storeItems: it }) => it.list([ITEM], 9)),
  scan: personal([], ({ storeItems: it }) => it.scan({ ...BELOW, after: undefined, limit: 9 })),
  newest: personal([], ({ storeItems: it }) => it.newest({ ...BELOW, limit: 9, offset: 0 })),
  namespaces: personal([], ({ storeItems: it }) => it.namespaces([], 9)),
  refresh: {
    ...personal(undefined, async ({ storeItems: it }) => {
      await it.refresh([ITEM], 9);
      return (await it.get(ITEM, 9))?.expiresAt;
    }),
    own: 1009,
  },
  use: personal({ items: 0, bytes: 0 }, ({ storeItems: it }) => it.use()),
};

const webhooks: Record<keyof Repositories['webhooks'] & string, OwnedCall> = {
  of: reading(new Map(), ({ webhooks: it }) => it.of(['r'])),
  failed: reading([], ({ webhooks: it }) => it.failed({ limit: 9, offset: 0 })),
  retry: changing(false, ({ webhooks: it }) => it.retry('r', 9)),
};

const CLAIM = { name: 'tea', holder: 'h', until: 20 };

const skillStates: Record<keyof Repositories['skillStates'] & string, OwnedCall> = {
  off: personal({ own: [], shared: [] }, ({ skillStates: it }) => it.off()),
  set: {
    ...personal([], async ({ skillStates: it }) => {
      await it.set('custom/tea', true);
      return (await it.off()).own;
    }),
    own: ['public/cake'],
  },
  claim: personal('no_account', ({ skillStates: it }) => it.claim({ ...CLAIM, holder: 'new' }, 9)),
  renew: personal(false, ({ skillStates: it }) => it.renew(CLAIM)),
  release: {
    ...personal(false, async ({ skillStates: it }) => {
      await it.release(CLAIM);
      return (await it.claim({ ...CLAIM, holder: 'new' }, 9)) === 'claimed';
    }),
    own: true,
  },
};

const DEFINITION = { description: 'd', model: null, toolGroups: null, skills: null, soul: 'calm' };
const NEW_AGENT = { agentId: 'new', name: 'tea', versions: [{ ...DEFINITION, createdAt: 9 }] };

const agents: Record<keyof Repositories['agents'] & string, OwnedCall> = {
  list: personal([], ({ agents: it }) => it.list()),
  find: personal(undefined, ({ agents: it }) => it.find('tea')),
  wasDeleted: personal(false, ({ agents: it }) => it.wasDeleted('coffee')),
  create: {
    ...personal('created', async ({ agents: it }) => {
      const made = await it.create(NEW_AGENT, 9);
      return typeof made === 'string' ? made : 'created';
    }),
    own: 'exists',
  },
  update: personal(undefined, ({ agents: it }) =>
    it.update('tea', { definition: { ...DEFINITION, soul: 'wild' }, now: 9, kept: 9 }),
  ),
  share: personal('absent', ({ agents: it }) => it.share('tea', true)),
  delete: personal(false, ({ agents: it }) => it.delete('tea', { now: 9, kept: 9 })),
  versions: personal([], ({ agents: it }) => it.versions('agent-tea')),
};

const FACT = {
  id: 'f2',
  content: 'new',
  category: 'context',
  confidence: 1,
  createdAt: 9,
  source: { kind: 'manual' },
} as const;

const memories: Record<keyof Repositories['memories'] & string, OwnedCall> = {
  get: personal(undefined, ({ memories: it }) => it.get('lead_agent')),
  list: personal([], ({ memories: it }) => it.list()),
  save: personal('no_account', ({ memories: it }) =>
    it.save({ agent: 'lead_agent', from: 1, facts: [FACT], previous: null }, { mostAgents: 9, now: 9 }),
  ),
  isOff: personal(false, ({ memories: it }) => it.isOff()),
  switch: {
    ...personal(false, async ({ memories: it }) => {
      await it.switch(false);
      return it.isOff();
    }),
    own: false,
  },
};

const FIRE = { now: 9, newThreadId: 'new', leaseUntil: 19 };

const schedules: Record<keyof Repositories['schedules'] & string, OwnedCall> = {
  list: personal([], ({ schedules: it }) => it.list()),
  get: personal(undefined, ({ schedules: it }) => it.get('schedule')),
  create: personal('no_account', ({ schedules: it }) => it.create(sampleSchedule('new'), 9)),
  update: personal(undefined, ({ schedules: it }) => it.update('schedule', { pausedBecause: null, now: 9 })),
  fires: personal([], ({ schedules: it }) => it.fires('schedule', { limit: 9 })),
  lastFires: personal(new Map(), ({ schedules: it }) => it.lastFires()),
  fireNow: personal('absent', ({ schedules: it }) => it.fireNow('schedule', FIRE)),
  delete: personal(false, ({ schedules: it }) => it.delete('schedule')),
};

const backgroundTasks: Record<keyof Repositories['backgroundTasks'] & string, OwnedCall> = {
  list: personal([], ({ backgroundTasks: it }) => it.list(THREAD, { limit: 9, offset: 0 })),
  openIds: personal([], ({ backgroundTasks: it }) => it.openIds(THREAD)),
  cancel: personal(undefined, ({ backgroundTasks: it }) => it.cancel(THREAD, 'task', 9)),
};

/** Without `ahead` and `onDisk`, which lead to the same records. */
type RecordKind = Exclude<keyof Repositories, 'ahead' | 'onDisk'>;

const CASES: { readonly [name in RecordKind]: Readonly<Record<string, OwnedCall>> } = {
  threads,
  runs,
  runEvents,
  feedback,
  frames,
  checkpoints,
  search,
  apiKeys,
  sessions,
  usage,
  threadExports,
  storeItems,
  webhooks,
  skillStates,
  agents,
  memories,
  schedules,
  backgroundTasks,
};

/** The calls by `repository.method`. */
export const ownedCalls: Readonly<Record<string, OwnedCall>> = Object.fromEntries(
  Object.entries(CASES).flatMap(([name, calls]) =>
    Object.entries(calls).map(([method, call]) => [`${name}.${method}`, call]),
  ),
);

async function createKey({ apiKeys: it }: Repositories): Promise<unknown> {
  const made = await it.create(NEW_KEY, 1);
  return made === 'too_many' ? made : 'created';
}

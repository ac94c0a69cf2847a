// Threads that grow, branch, are copied and deleted at random, beside a model of what each of them sees.
import type { Storage } from '../../src/storage/storage.ts';
import { ANN, createThread, deleteThread, sampleCheckpoint } from './samples.ts';

/** What a thread sees: the texts that each checkpoint folds from, by its id. */
type Seen = ReadonlyMap<string, readonly string[]>;

interface ModelThread {
  readonly head: string | null;
  readonly seen: Seen;
}

export interface CopiesSimulation {
  /** Makes one random change. */
  step(): Promise<void>;
  /** Returns what every thread sees in storage, and what it sees according to the model. */
  compare(): Promise<{ readonly stored: unknown; readonly expected: unknown }>;
  /** Returns the number of checkpoints that at least one thread sees. */
  needed(): number;
  deleteAll(): Promise<void>;
}

export function simulateCopies(storage: Storage, seed: number): CopiesSimulation {
  const { threads, checkpoints } = storage.as(ANN);
  const model = new Map<string, ModelThread>();
  const random = createRandom(seed);
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)];
  let made = 0;

  const create = async () => {
    const threadId = `t${++made}`;
    await createThread(storage, ANN, threadId);
    model.set(threadId, { head: null, seen: new Map() });
  };

  const append = async (threadId: string, { head, seen }: ModelThread) => {
    const id = `c${++made}`;
    const parent = random() < 0.7 ? head : (pick([...seen.keys()]) ?? null);
    const row = sampleCheckpoint(id, parent, { delta: id, createdAt: made });
    const answer = await checkpoints.append(threadId, row, { expectedHead: head });
    if (answer !== 'appended') throw new Error(`seed ${seed}: ${answer}`);
    const line = [...(parent === null ? [] : (seen.get(parent) ?? [])), id];
    model.set(threadId, { head: id, seen: new Map([...seen, [id, line]]) });
  };

  const copy = async (threadId: string, { head, seen }: ModelThread) => {
    const id = `t${++made}`;
    await threads.copy(threadId, { threadId: id, metadata: {}, now: made });
    const line = head === null ? [] : (seen.get(head) ?? []);
    model.set(id, { head, seen: new Map(line.map((it) => [it, seen.get(it) ?? []])) });
  };

  const remove = async (threadId: string) => {
    await deleteThread(storage, ANN, threadId);
    model.delete(threadId);
  };

  return {
    step: async () => {
      const [threadId, thread] = pick([...model]) ?? [];
      const dice = random();
      if (threadId === undefined || thread === undefined || dice < 0.05) await create();
      else if (dice < 0.6) await append(threadId, thread);
      else if (dice < 0.8) await copy(threadId, thread);
      else await remove(threadId);
    },
    compare: async () => {
      const stored = new Map<string, Seen>();
      for (const threadId of model.keys()) {
        const seen = new Map<string, readonly string[]>();
        for (const { checkpointId } of await checkpoints.list(threadId, { limit: 1000 })) {
          seen.set(checkpointId, await checkpoints.lineage(threadId, checkpointId));
        }
        stored.set(threadId, seen);
      }
      return { stored, expected: new Map([...model].map(([threadId, { seen }]) => [threadId, seen])) };
    },
    needed: () => new Set([...model.values()].flatMap(({ seen }) => [...seen.keys()])).size,
    deleteAll: async () => {
      for (const threadId of [...model.keys()]) await remove(threadId);
    },
  };
}

/** mulberry32: small, and deterministic on every platform. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

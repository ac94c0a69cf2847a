// Concurrent writes share a transaction and are committed together.
import type { WriteTransaction } from '../database.ts';

type Transact = <T>(change: (trx: WriteTransaction) => Promise<T>) => Promise<T>;

interface WaitingWrite {
  /**
   * Returns a function that settles the promise, to be called after the commit. Throws what fails the whole
   * transaction.
   */
  run(trx: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

/**
 * Collects the writes of one turn of the event loop. If one of them or the transaction fails, each is
 * repeated in its own transaction, so that a bad write cannot fail the others. No savepoints separate them:
 * failing writes are rare, and at each savepoint SQLite writes the search index entries since the previous
 * one as a separate segment. Promises settle after the commit. For databases with one writer.
 */
export function createSharedTransactions(transact: Transact): Transact {
  let waiting: WaitingWrite[] = [];

  const commitWaiting = async (): Promise<void> => {
    const writes = waiting;
    waiting = [];
    for (const settle of await commit(transact, writes)) settle();
  };

  return (change) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof change>>>();
    const run = async (trx: WriteTransaction) => {
      const result = await change(trx);
      return () => resolve(result);
    };
    waiting.push({ run, fail: reject });
    if (waiting.length === 1) setImmediate(() => void commitWaiting());
    return promise;
  };
}

/** Returns one function per committed write, which settles its promise. Rejects failed writes. */
async function commit(transact: Transact, writes: readonly WaitingWrite[]): Promise<readonly (() => void)[]> {
  try {
    return await transact((trx) => runAll(trx, writes));
  } catch (error) {
    const settleAll: (() => void)[] = [];
    if (writes.length === 1) for (const write of writes) write.fail(error);
    else for (const write of writes) settleAll.push(...(await commit(transact, [write])));
    return settleAll;
  }
}

async function runAll(trx: WriteTransaction, writes: readonly WaitingWrite[]) {
  const settle: (() => void)[] = [];
  for (const write of writes) settle.push(await write.run(trx));
  return settle;
}

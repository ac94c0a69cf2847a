// Writes that come together share a transaction, and are committed at once.
import type { WriteTransaction } from '../database.ts';

type Transact = <T>(change: (trx: WriteTransaction) => Promise<T>) => Promise<T>;

interface WaitingWrite {
  /** Returns a function that settles the promise; call it once it is committed. Throws what fails the whole transaction. */
  run(trx: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

/**
 * Collects the writes of one turn of the event loop. If one of them fails, or the transaction itself, each is made again in
 * a transaction of its own, so that a bad write cannot fail the others. No savepoint keeps them apart: writes that fail
 * are rare, and at each savepoint SQLite writes what was indexed for search since the one before as a segment of its own.
 * Promises settle when it is committed. For databases with one writer.
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

/** Returns one function per committed write, which settles its promise. Writes that failed are rejected here. */
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

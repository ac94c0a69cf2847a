// Writes that come together share a transaction: each in a savepoint of its own, all durable with one commit.
import { CompiledQuery } from 'kysely';
import type { Connection, WriteTransaction } from '../database.ts';

export type Transact = <T>(db: Connection, change: (trx: WriteTransaction) => Promise<T>) => Promise<T>;

interface WaitingWrite {
  /** Answers how to tell the caller once everything is committed. Throws what the others cannot survive either. */
  run(trx: WriteTransaction): Promise<() => void>;
  fail(error: unknown): void;
}

const BEGIN = CompiledQuery.raw('savepoint one_write');
const KEEP = CompiledQuery.raw('release one_write');
const UNDO = CompiledQuery.raw('rollback to one_write');

/**
 * Collects the writes of one turn of the event loop. A write that fails is undone alone; when the transaction itself
 * fails, each of its writes is tried in one of its own, so that none fails for another's sake. For databases with one
 * writer.
 */
export function createSharedTransactions(): Transact {
  let waiting: WaitingWrite[] = [];

  const commitWaiting = (db: Connection): Promise<void> => {
    const writes = waiting;
    waiting = [];
    return commit(db, writes);
  };

  return (db, change) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof change>>>();
    const run = async (trx: WriteTransaction) => {
      await trx.executeQuery(BEGIN);
      try {
        const result = await change(trx);
        await trx.executeQuery(KEEP);
        return () => resolve(result);
      } catch (error) {
        await undo(trx, error);
        return () => reject(error);
      }
    };
    waiting.push({ run, fail: reject });
    if (waiting.length === 1) setImmediate(() => void commitWaiting(db));
    return promise;
  };
}

async function commit(db: Connection, writes: readonly WaitingWrite[]): Promise<void> {
  try {
    for (const tell of await db.transaction().execute((trx) => runAll(trx, writes))) tell();
  } catch (error) {
    const [only] = writes;
    if (writes.length === 1) only?.fail(error);
    else for (const write of writes) await commit(db, [write]);
  }
}

async function runAll(trx: WriteTransaction, writes: readonly WaitingWrite[]) {
  const tell: (() => void)[] = [];
  for (const write of writes) tell.push(await write.run(trx));
  return tell;
}

/** A full disk makes SQLite give up the whole transaction: then there is no savepoint to go back to. */
async function undo(trx: WriteTransaction, cause: unknown): Promise<void> {
  try {
    await trx.executeQuery(UNDO);
    await trx.executeQuery(KEEP);
  } catch {
    throw cause;
  }
}

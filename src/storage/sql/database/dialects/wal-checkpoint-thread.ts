// The thread of `wal-checkpoints.ts`. For each message it copies pages of the write-ahead log into the
// database file.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

/** Waiting in this thread blocks no other work. */
const BUSY_TIMEOUT_MS = 1_000;

const address: unknown = workerData;
let database: DatabaseSync | undefined;

parentPort?.on('message', () => {
  try {
    database ??= open();
    database.exec('pragma wal_checkpoint(passive)');
  } catch {
    // A full disk or a locked file. The log keeps everything, and the service sees what remains and asks
    // again.
  }
  parentPort?.postMessage('done');
});

function open(): DatabaseSync {
  if (typeof address !== 'string') throw new TypeError('The thread needs the address of a database.');
  const opened = new DatabaseSync(new URL(address), { timeout: BUSY_TIMEOUT_MS });
  // As on the committing connection: the log is on disk before its pages are, and the pages before the log is
  // reused.
  opened.exec('pragma synchronous = normal');
  return opened;
}

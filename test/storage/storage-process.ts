// A separate process on a storage, started by tests: `node storage-process.ts first|commit <url>`.
import { randomUUID } from 'node:crypto';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { ANN, sampleChange, sampleEvent, sampleUser, startRun } from './samples.ts';

const [task, url] = process.argv.slice(2);
if (url === undefined) throw new Error('the address of the storage is missing');
const storage = await openStorage({ url, log: QUIET_LOG });
if (task === 'first') await insertFirst(storage);
else await commitForEver(storage);

/** Prints whether this process inserted the first user. */
async function insertFirst(opened: Storage): Promise<void> {
  const inserted = await opened.users.insertFirst(sampleUser(randomUUID()), 'no_user');
  console.log(inserted);
  await opened.close();
}

/** Prints the number of each acknowledged event, until the process is killed. */
async function commitForEver(opened: Storage): Promise<never> {
  const run = await startRun(opened, ANN, 'r');
  for (let n = 1; ; n++) {
    await opened.runCommits.commit([sampleChange(run, { events: [sampleEvent(`${n}`)] })], n);
    process.stdout.write(`${n}\n`);
  }
}

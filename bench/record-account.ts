// Operations on a whole account: its export, the import of that, and a comparison with the record.

import { openStorage } from '../src/storage/sql/open-storage.ts';
import { QUIET_LOG } from '../test/support/quiet-log.ts';
import { fillRecord } from './fill-record.ts';
import { type RunningService, signUp } from './service.ts';

export interface AccountFigures {
  readonly messages: number;
  readonly exportSeconds: number;
  readonly megabytes: number;
  readonly importSeconds: number;
}

const THREADS = 100;
const TURNS = 50;
/** Far behind the threads of all other users. */
const FIRST = 1_000_000;
const VERIFIED = 200;

/** Makes an account with its own record, takes it out whole and brings it in again, under ids that are new there. */
export async function measureAccount({ port }: RunningService, url: string): Promise<AccountFigures> {
  const { userId, headers } = await signUp(port, 'account@example.com');
  const size = { threads: THREADS, events: Number.POSITIVE_INFINITY, first: FIRST, turns: TURNS };
  await fillRecord({ ...size, url, userId, log: () => {} });
  const account = `http://127.0.0.1:${port}/api/account`;
  const exported = await timed(async () => {
    const answer = await fetch(`${account}/export`, { headers });
    if (!answer.ok) throw new Error(`The export answered ${answer.status}.`);
    return answer.arrayBuffer();
  });
  const imported = await timed(async () => {
    const answer = await fetch(`${account}/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/zip' },
      body: exported.result,
    });
    if (!answer.ok) throw new Error(`The import answered ${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  });
  return {
    messages: THREADS * TURNS * 2,
    exportSeconds: exported.seconds,
    megabytes: exported.result.byteLength / 1e6,
    importSeconds: imported.seconds,
  };
}

/** Milliseconds that `verify` takes for a thread, of so many; the service is stopped. */
export async function measureVerify(url: string): Promise<number> {
  const storage = await openStorage({ url, log: QUIET_LOG });
  try {
    // Behind the longest one, which would be all that is measured.
    const [, ...ids] = await storage.projections.threadIds(null, VERIFIED + 1);
    const { seconds } = await timed(async () => {
      for (const id of ids)
        await storage.projections.verifyThread(id, { repair: false, busyThreads: 'verify' });
    });
    return (seconds * 1_000) / ids.length;
  } finally {
    await storage.close();
  }
}

async function timed<T>(call: () => Promise<T>): Promise<{ readonly result: T; readonly seconds: number }> {
  const begun = performance.now();
  const result = await call();
  return { result, seconds: (performance.now() - begun) / 1_000 };
}

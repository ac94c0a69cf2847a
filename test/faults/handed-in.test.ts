// A kill while files are uploaded, captured, restored, or moved from where they were before threads had
// owners.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amount, cases } from '../support/amount.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { multipart, sendFiles, type UploadJson } from '../support/upload.ts';
import type { CrashingProcess } from './crashing-process.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';
import type { StubbornClient } from './stubborn-client.ts';

/** Removes, changes and makes files. */
const WORK = 'rm -f old.txt; echo "$RANDOM" > changed.txt; mkdir -p new; echo new > new/file.txt';

/** Takes seconds on an idle machine. */
const STEPS = { timeout: 240_000 };

/** Counts up until there is no such step. */
const OCCURRENCES = cases([1, 2, 3, 4, 5, 6, 7, 8], (it) => it === 1 || it === 3);

let pool: ProcessPool;
beforeAll(async () => {
  pool = await openProcessPool(1);
  pool.model.onRequest(({ body }) => {
    const messages = body.messages as readonly { readonly role: string }[];
    const call = { name: 'bash', args: { command: WORK } };
    return messages.at(-1)?.role === 'tool' ? answer.text('Done') : answer.toolCalls([call]);
  });
});
afterAll(() => pool.close());

interface At {
  readonly process: CrashingProcess;
  readonly client: StubbornClient;
  readonly threadId: string;
  /** The folder of the thread. */
  readonly folder: string;
  readonly drafts: () => readonly string[];
}

function inThread<T>(work: (at: At) => Promise<T>): Promise<T> {
  return pool.use(async ({ process, client }) => {
    await process.up();
    const threadId = await client.newThread();
    const { id } = await jsonOf<{ id: string }>(client.http.get('/api/v1/auth/me'));
    const folder = join(process.dataHome, 'users', id, 'threads', threadId);
    const drafts = () => readdirSync(join(process.dataHome, 'tmp'));
    return work({ process, client, threadId, folder, drafts });
  });
}

/** Does the work with a kill at the point; returns whether the point was reached. */
async function killed({ process }: At, at: readonly [string, number], work: () => Promise<unknown>) {
  const deaths = process.deaths();
  process.arm({ point: at[0], occurrence: at[1] });
  const broke = await work().then(
    () => false,
    () => true,
  );
  // Its connections break a moment before its death is known.
  if (broke) await process.died(deaths + 1);
  const died = process.deaths() > deaths;
  await process.up();
  process.arm({ point: 'none', occurrence: 1 });
  return died;
}

const kept = (folder: string, area = 'uploads') => {
  const path = join(folder, 'user-data', area);
  return existsSync(path) ? readdirSync(path).sort() : [];
};

const listed = async ({ client, threadId }: At) =>
  (await jsonOf<{ files: UploadJson[] }>(client.http.get(`/api/threads/${threadId}/uploads/list`))).files.map(
    ({ filename, size }) => [filename, size],
  );

const put = (folder: string, path: string, content: string) => {
  const file = join(folder, 'user-data', path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
};

describe('a kill while files are uploaded', () => {
  const FILES = [1, 2].map((n) => ({ name: `${n}.bin`, content: Buffer.alloc(200_000, n) }));

  it.each([
    ['file.link.before', 1, 0],
    ['file.link.after', 1, 1],
    ['file.unlink.before', 1, 1],
    ['file.unlink.after', 1, 1],
    ['file.link.after', 2, 2],
    ['file.unlink.after', 2, 2],
  ])('[fault.upload] at %s %i: %i whole files and no draft', async (point, occurrence, whole) => {
    await inThread(async (at) => {
      const send = () => sendFiles(at.client.http, at.threadId, FILES);
      expect(await killed(at, [point, occurrence], send)).toBe(true);
      await expect.poll(at.drafts).toEqual([]);
      expect(await listed(at)).toEqual(
        FILES.slice(0, whole).map(({ name, content }) => [name, content.length]),
      );
      for (const { name, content } of FILES.slice(0, whole)) {
        const path = `/api/threads/${at.threadId}/artifacts/mnt/user-data/uploads/${name}`;
        const served = await at.client.http.get(path);
        expect(Buffer.from(await served.arrayBuffer()).equals(content)).toBe(true);
      }
      expect((await send()).status).toBe(200);
      expect(kept(at.folder)).toHaveLength(whole + 2);
    });
  });

  it('[fault.upload] in the middle of the bytes: nothing is there, and the draft is swept', async () => {
    await inThread(async (at) => {
      const { body, headers } = multipart([{ name: 'a.bin', content: Buffer.alloc(3_000_000, 1) }]);
      const cookie = [...at.client.http.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const csrf = at.client.http.cookies.get('csrf_token') ?? '';
      const sent = request(`${await at.process.up()}/api/threads/${at.threadId}/uploads`, {
        method: 'POST',
        headers: { ...headers, cookie, 'x-csrf-token': csrf },
      });
      sent.on('error', () => {});
      sent.write(body.subarray(0, 2_000_000));
      await expect.poll(at.drafts).toHaveLength(1);
      const deaths = at.process.deaths();
      at.process.signal('SIGKILL');
      await at.process.died(deaths + 1);
      sent.destroy();
      await at.process.up();
      await expect.poll(at.drafts).toEqual([]);
      expect([await listed(at), kept(at.folder)]).toEqual([[], []]);
    });
  });
});

/** Checks that every object matches its name, and that every point names existing objects. */
function expectWholeStore(folder: string): void {
  const store = join(folder, 'snapshots');
  const objects = new Set<string>();
  for (const first of names(join(store, 'objects')))
    for (const rest of names(join(store, 'objects', first))) {
      const bytes = readFileSync(join(store, 'objects', first, rest));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(first + rest);
      objects.add(first + rest);
    }
  for (const name of names(join(store, 'points'))) {
    const point = JSON.parse(readFileSync(join(store, 'points', name), 'utf8')) as { readonly tree: string };
    expect(objects).toContain(point.tree);
    const at = join(store, 'objects', point.tree.slice(0, 2), point.tree.slice(2));
    const tree = JSON.parse(readFileSync(at, 'utf8')) as readonly { readonly sha256: string }[];
    for (const { sha256 } of tree) expect(objects).toContain(sha256);
  }
}

const names = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

async function lastRun({ client, threadId }: At): Promise<string> {
  const { runs } = await jsonOf<{ runs: { run_id: string }[] }>(
    client.http.get(`/api/threads/${threadId}/runs`),
  );
  return runs[0]?.run_id ?? '';
}

const changesOf = async (at: At, runId: string) =>
  (
    await jsonOf<{ changes: { path: string; change: string }[] }>(
      at.client.http.get(`/api/threads/${at.threadId}/runs/${runId}/workspace-changes`),
    )
  ).changes.map(({ path, change }) => `${change} ${path.replace('/mnt/user-data/workspace/', '')}`);

const restore = ({ client, threadId }: At, body: object) =>
  client.http.post(`/api/threads/${threadId}/workspace/restore`, body);

describe('a kill while a snapshot of files is taken', () => {
  it.each(['file.rename.before', 'file.rename.after'])(
    '[fault.snapshot] at every %s: contents are whole, and the next run can be shown and undone',
    STEPS,
    async (point) => {
      let reached = 0;
      for (const occurrence of OCCURRENCES) {
        const goesOn = await inThread(async (at) => {
          put(at.folder, 'workspace/old.txt', 'old');
          put(at.folder, 'workspace/changed.txt', 'before');
          const died = await killed(at, [point, occurrence], () => at.client.ask(at.threadId, 'work'));
          expectWholeStore(at.folder);
          await changesOf(at, await lastRun(at));
          put(at.folder, 'workspace/old.txt', 'old again');
          await at.client.ask(at.threadId, 'work');
          const next = await lastRun(at);
          expect(await changesOf(at, next)).toEqual(expect.arrayContaining(['deleted old.txt']));
          expect((await restore(at, { run_id: next })).status).toBe(200);
          expect(readFileSync(join(at.folder, 'user-data/workspace/old.txt'), 'utf8')).toBe('old again');
          expectWholeStore(at.folder);
          if (died) reached += 1;
          return died;
        });
        if (!goesOn) break;
      }
      expect(reached).toBeGreaterThanOrEqual(amount(2, 4));
    },
  );
});

describe('a kill while files are restored', () => {
  it.each(['file.rename.before', 'file.rename.after', 'file.unlink.before', 'file.unlink.after'])(
    '[fault.restore] at every %s: files are whole, and a repeated request ends as requested',
    STEPS,
    async (point) => {
      let reached = 0;
      for (const occurrence of OCCURRENCES) {
        const goesOn = await inThread(async (at) => {
          put(at.folder, 'workspace/old.txt', 'old'.repeat(50_000));
          put(at.folder, 'workspace/changed.txt', 'before'.repeat(50_000));
          await at.client.ask(at.threadId, 'work');
          const runId = await lastRun(at);
          const died = await killed(at, [point, occurrence], () => restore(at, { run_id: runId }));
          for (const name of kept(at.folder, 'workspace').filter((it) => it !== 'new')) {
            const text = readFileSync(join(at.folder, 'user-data/workspace', name), 'utf8');
            expect(/^((old)+|(before)+|\d+\n)$/.test(text), name).toBe(true);
          }
          expectWholeStore(at.folder);
          expect((await restore(at, { run_id: runId })).status).toBe(200);
          // An empty folder may remain, since snapshots do not contain folders.
          expect(kept(at.folder, 'workspace').filter((it) => it !== 'new')).toEqual([
            'changed.txt',
            'old.txt',
          ]);
          expect(kept(at.folder, 'workspace/new')).toEqual([]);
          expect(readFileSync(join(at.folder, 'user-data/workspace/changed.txt'), 'utf8')).toBe(
            'before'.repeat(50_000),
          );
          await expect.poll(at.drafts).toEqual([]);
          if (died) reached += 1;
          return died;
        });
        if (!goesOn) break;
      }
      expect(reached).toBeGreaterThan(0);
    },
  );
});

describe('a kill while files are moved from before there were owners', () => {
  it.each(['file.rename.before', 'file.rename.after'])(
    '[fault.legacy] at %s: they are found',
    async (point) => {
      await inThread(async (at) => {
        const legacy = join(at.process.dataHome, 'threads', at.threadId);
        put(legacy, 'uploads/old.txt', 'from before');
        const list = () => listed(at);
        expect(await killed(at, [point, 1], list)).toBe(true);
        expect([existsSync(join(legacy, 'user-data')), existsSync(join(at.folder, 'user-data'))]).toEqual(
          point.endsWith('before') ? [true, false] : [false, true],
        );
        expect(await list()).toEqual([['old.txt', 11]]);
        expect(existsSync(join(legacy, 'user-data'))).toBe(false);
      });
    },
  );
});

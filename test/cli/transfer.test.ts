// `export` and `import`, as an operator meets them: each one a process of its own.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/command.ts';
import { exportAccount } from '../../src/cli/export-account.ts';
import { importAccount } from '../../src/cli/import-account.ts';
import { lockDataHome } from '../../src/workspace/data-home-lock.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { packageOf, unzipped } from '../support/zip.ts';
import { branchedThread, contentsOf } from '../transfer/conversation.ts';
import { startCommand } from './command-process.ts';

/** A service on a disk, which keeps working while the commands do. */
function openService(name: string): Promise<TestService> {
  const dataHome = join(cwd, name);
  const database = { url: `sqlite:${join(dataHome, 'service.db')}` };
  return openTestService({ dataHome, config: { database } });
}

let cwd: string;
let here: TestService;
let elsewhere: TestService;
let ann: HttpClient;
let threadId: string;
let before: readonly string[];
beforeAll(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), 'agent-service-cli-')));
  here = await openService('here');
  elsewhere = await openService('elsewhere');
  ann = await here.user('ann');
  threadId = await branchedThread(here, ann);
  before = await contentsOf(ann, threadId);
  await elsewhere.user('bob');
});
afterAll(async () => {
  await here.close();
  await elsewhere.close();
  await rm(cwd, { recursive: true, force: true });
});

const UUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';
const run = (args: readonly string[], { dataHome }: TestService) =>
  startCommand(args, { dataHome, cwd }).ended;
const exported = (to: string) => run(['export', '--email', ANN, '--to', to], here);
const threadsOf = (client: HttpClient) =>
  jsonOf<readonly { readonly thread_id: string }[]>(client.post('/api/threads/search', { limit: 1000 }));
const idOf = async (client: HttpClient) => (await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'))).id;
const lastAct = async ({ service }: TestService) =>
  (await service.storage.audit.list({ limit: 1 })).entries[0];

/** A start of a process may take seconds where others work, too. */
const PATIENCE = { timeout: 180_000 };

describe('export and import', PATIENCE, () => {
  it('[cli.transfer] bring an account from one service to another, the first of which runs', async () => {
    const lock = lockDataHome(here.dataHome);
    const out = await exported('ann.zip').finally(lock.release);
    expect(out).toMatchObject({ code: 0, progress: expect.stringMatching(/1 thread|0 threads/) });
    const path = join(cwd, 'ann.zip');
    expect(out.said).toContain(`Exported 1 thread of ${ANN} to ${path}, 0.0 MB.`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await lastAct(here)).toMatchObject({ act: 'export', actor: null, subject: await idOf(ann) });

    const bob = await elsewhere.user('bob');
    const into = await run(['import', '--email', BOB, 'ann.zip'], elsewhere);
    expect(into).toMatchObject({ code: 0 });
    expect(into.said).toMatch(/^Imported for bob@example.com: 1 thread, 3 runs, \d+ events, 1 file\.\n$/);
    expect(await contentsOf(bob, threadId)).toEqual(before);
    const files = (await unzipped(bob.get(`/api/threads/${threadId}/export`))).get(
      `files/${threadId}/outputs/note.md`,
    );
    expect(files).toBe('kept');
    expect(await lastAct(elsewhere)).toMatchObject({ act: 'export', actor: await idOf(bob) });

    const again = await run(['import', '--email', BOB, 'ann.zip'], elsewhere);
    expect(again.said).toContain('Given new ids, because their own are taken: 1 thread.');
    expect(await threadsOf(bob)).toHaveLength(2);
    expect(await lastAct(elsewhere)).toMatchObject({ act: 'import', actor: null, subject: await idOf(bob) });
  });

  it('[cli.transfer.refusals] say what is wrong, fail, and change nothing', async () => {
    await writeFile(join(cwd, 'there.zip'), 'mine');
    await writeFile(join(cwd, 'none.zip'), 'not a zip');
    const bob = await elsewhere.user('bob');
    const threads = await threadsOf(bob);
    const lines: string[] = [];
    const context: CommandContext = {
      environment: { DATA_HOME: elsewhere.dataHome },
      cwd,
      print: (line) => lines.push(line),
      progress: () => {},
    };
    const out = (email: string, to: string) => exportAccount(context, { email, to });
    const into = (email: string, file: string) => importAccount(context, { email, file });
    const refusals: readonly (readonly [() => Promise<number>, string])[] = [
      [() => out('nobody@example.com', 'x.zip'), 'No account has the e-mail nobody@example.com.'],
      [() => into('nobody@example.com', 'none.zip'), 'No account has the e-mail nobody@example.com.'],
      [() => out(BOB, 'there.zip'), 'exists already; it was not changed.'],
      [() => out(BOB, 'no/folder.zip'), 'or its folder is missing. Nothing was exported.'],
      [() => into(BOB, 'absent.zip'), 'absent.zip, or its folder is missing. Nothing was imported.'],
      [() => into(BOB, '.'), 'is a folder. Nothing was imported.'],
      [() => into(BOB, 'none.zip'), 'The file is not a zip file, or it is not complete.'],
    ];
    for (const [command, sentence] of refusals) {
      expect(await command()).toBe(1);
      expect(lines.at(-1)).toContain(sentence);
    }
    expect(await readFile(join(cwd, 'there.zip'), 'utf8')).toBe('mine');
    expect((await readdir(cwd)).filter((name) => /x\.zip|partial/.test(name))).toEqual([]);
    expect(await threadsOf(bob)).toEqual(threads);
  });

  it('[cli.transfer.alone] import refuses to work beside a service that has the data home', async () => {
    const lock = lockDataHome(elsewhere.dataHome);
    const { code, said } = await run(['import', '--email', BOB, 'none.zip'], elsewhere).finally(lock.release);
    expect(code).toBe(2);
    expect(said).toContain(`Process ${process.pid} works on the data home.`);
  });
});

describe('a process that ends in the middle', PATIENCE, () => {
  it.each(['SIGKILL', 'SIGTERM'] as const)(
    '[cli.transfer.whole] of an export by %s leaves no package',
    async (signal) => {
      const folder = join(
        ...[here.dataHome, 'users', await idOf(ann), 'threads', threadId, 'user-data', 'workspace'],
      );
      await mkdir(folder, { recursive: true });
      for (let n = 0; n < 5; n++) await writeFile(join(folder, `${n}`), randomBytes(8_000_000));
      const name = `${signal}.zip`;
      const { child, ended } = startCommand(['export', '--email', ANN, '--to', name], {
        dataHome: here.dataHome,
        cwd,
      });
      const partial = join(cwd, `${name}.${child.pid}.partial`);
      await expect.poll(() => existsSync(partial), { timeout: 60_000, interval: 5 }).toBe(true);
      child.kill(signal);
      const { code, said } = await ended;
      expect(existsSync(join(cwd, name))).toBe(false);
      if (signal === 'SIGKILL') return;
      expect([code, said]).toEqual([1, 'Stopped. Nothing was exported.\n']);
      expect(existsSync(partial)).toBe(false);
      expect(await exported(name)).toMatchObject({ code: 0 });
    },
  );

  it('[cli.transfer.whole] of an import leaves nothing that is seen, and the next one brings everything', async () => {
    const bob = await elsewhere.user('bob');
    const threads = await threadsOf(bob);
    const entries = await unzipped(ann.get(`/api/threads/${threadId}/export`));
    const lines = entries.get(`threads/${threadId}.jsonl`) ?? '';
    const many = Array.from({ length: 150 }, (_, n): [string, string] => {
      // Never the id itself, which bob may have already, and never that of another number.
      const numbered = (text: string) =>
        text.replaceAll(UUID, (id) => {
          const end = Number.parseInt(id.slice(-3), 16) ^ (n + 1);
          return `${id.slice(0, -3)}${end.toString(16).padStart(3, '0')}`;
        });
      return [`threads/${numbered(threadId)}.jsonl`, numbered(lines)];
    });
    const manifest = (entries.get('manifest.json') ?? '').replace('"kind": "thread"', '"kind": "account"');
    await writeFile(join(cwd, 'many.zip'), await packageOf(new Map([...many, ['manifest.json', manifest]])));
    const database = new DatabaseSync(join(elsewhere.dataHome, 'service.db'), { readOnly: true });
    const hidden = () =>
      database.prepare("select count(*) as n from threads where user_id like 'import:%'").get()?.n;
    const command = ['import', '--email', BOB, 'many.zip'];
    const { child, ended } = startCommand(command, { dataHome: elsewhere.dataHome, cwd });
    await expect.poll(hidden, { timeout: 60_000, interval: 5 }).toBeGreaterThan(3);
    child.kill('SIGKILL');
    await ended;
    expect(hidden()).toBeGreaterThan(3);
    expect(await threadsOf(bob)).toEqual(threads);
    const again = await run(command, elsewhere);
    expect(again).toMatchObject({ code: 0 });
    expect(hidden()).toBe(0);
    database.close();
    const found = new Set((await threadsOf(bob)).map(({ thread_id }) => thread_id));
    // Under the ids of the package: what the first one had taken is free again.
    expect(many.every(([name]) => found.has(name.slice('threads/'.length, -'.jsonl'.length)))).toBe(true);
    expect(found.size).toBe(threads.length + many.length);
  });
});

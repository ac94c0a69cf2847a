// A kill while a file is written (fault.F12).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import { createDraftSweeper } from '../../src/workspace/draft-sweeper.ts';
import { bundled } from '../support/bundled.ts';
import { COMPILED } from '../support/compiled.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { openProcessPool, type ProcessPool } from './process-pool.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./writing-process.ts'));
const OLD = 'old '.repeat(400_000);
const NEW = 'new '.repeat(500_000);
const WRITTEN = { write: NEW, append: OLD + NEW, str_replace: OLD.replaceAll('old', 'new') } as const;

let dataHome: string;
beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'written-'));
});
afterEach(() => rm(dataHome, { recursive: true, force: true }));

/** Overwrites an old file in a separate process; returns whether the process survived. */
async function written(place: string, how: string, moment: number): Promise<boolean> {
  const child = spawn(process.execPath, [await bundled(SCRIPT), dataHome, place, how, `${moment}`], {
    stdio: 'ignore',
    env: COMPILED,
  });
  await once(child, 'exit');
  return child.signalCode === null;
}

function oldFile(place: string): string {
  const folder = join(dataHome, 'users', 'ada', 'threads', place, 'user-data', 'outputs');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'big.txt'), OLD);
  return folder;
}

const drafts = () => (existsSync(join(dataHome, 'tmp')) ? readdirSync(join(dataHome, 'tmp')) : []);

async function sweep(exclusive: boolean): Promise<void> {
  const upkeep = createUpkeep({ log: QUIET_LOG });
  await upkeep.add(createDraftSweeper({ dataHome, exclusive })).wake();
}

describe('kill -9 while a file is written', () => {
  it.each(Object.entries(WRITTEN))(
    '[fault.F12] %s: at any moment the file is the old or the new one, and a retry works',
    async (how, whole) => {
      let left = 0;
      let isWritten = false;
      // How many turns a write takes depends on the disk and on the load of the machine.
      for (let moment = 1; !isWritten; moment *= 2) {
        const folder = oldFile(`t${moment}`);
        const lived = await written(`t${moment}`, how, moment);
        expect(readdirSync(folder)).toEqual(['big.txt']);
        const text = readFileSync(join(folder, 'big.txt'), 'utf8');
        expect(text === whole || (!lived && text === OLD), `${how} at moment ${moment}`).toBe(true);
        left += drafts().length;
        isWritten = text === whole;
        if (text === OLD) {
          expect(await written(`t${moment}`, how, 0)).toBe(true);
          expect(readFileSync(join(folder, 'big.txt'), 'utf8') === whole).toBe(true);
        }
      }
      expect(left, 'died with a draft').toBeGreaterThan(0);
      await expect
        .poll(async () => {
          await sweep(true);
          return drafts();
        })
        .toEqual([]);
    },
  );

  it('[fault.F12] drafts of other processes are swept after a while without changes', async () => {
    await sweep(false);
    const [fresh, old] = [join(dataHome, 'tmp', 'fresh'), join(dataHome, 'tmp', 'old')];
    for (const draft of [fresh, old]) writeFileSync(draft, 'half');
    const before = Date.now() / 1_000 - 60;
    utimesSync(old, before, before);
    await sweep(false);
    expect(drafts()).toEqual(['fresh']);
  });
});

describe('kill -9 around a tool that writes', () => {
  let pool: ProcessPool;
  beforeEach(async () => {
    pool = await openProcessPool(1);
  });
  afterEach(() => pool.close());

  it.each(['tool.write_file.before', 'tool.write_file.after'])(
    '[fault.F12] at %s: the file is whole or absent, the start removes drafts, and the model can try again',
    async (point) => {
      const write = (content: string) => ({
        name: 'write_file',
        args: { path: '/mnt/user-data/outputs/note.md', content },
      });
      const read = { name: 'read_file', args: { path: '/mnt/user-data/outputs/note.md' } };
      pool.model.onRequest(({ body }) => {
        const results = (body.messages as readonly { readonly role: string }[]).filter(
          ({ role }) => role === 'tool',
        );
        // A file of unknown state is read before it is written again.
        const steps = [write('first'), read, write('second')];
        const next = steps[results.length];
        return next === undefined ? answer.text('Done') : answer.toolCalls([next]);
      });
      await pool.use(async ({ process, client }) => {
        const threadId = await client.newThread();
        const tmp = join(process.dataHome, 'tmp');
        mkdirSync(tmp, { recursive: true });
        writeFileSync(join(tmp, 'left'), 'half a file');
        process.arm({ point, occurrence: 1 });
        await client.ask(threadId, 'write');
        expect(process.deaths()).toBe(1);
        const state = await jsonOf<StateJson>(client.http.get(`/api/graph/threads/${threadId}/state`));
        const results = state.values.messages.filter(({ type }) => type === 'tool');
        expect(results.map(({ content }) => content)).toEqual([
          expect.stringContaining('it is not known whether it took effect'),
          expect.stringMatching(/^first$|No such file/),
          'OK',
        ]);
        const { id } = await jsonOf<{ id: string }>(client.http.get('/api/v1/auth/me'));
        const folder = join(process.dataHome, 'users', id, 'threads', threadId, 'user-data', 'outputs');
        expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
          'second',
        ]);
        await expect.poll(() => readdirSync(tmp)).toEqual([]);
      });
    },
  );
});

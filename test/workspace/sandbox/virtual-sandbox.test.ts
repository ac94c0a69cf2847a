// Tests for the virtual shell alone: its processes and their memory.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../src/workspace/quota/disk-use.ts';
import { createShellsAhead } from '../../../src/workspace/sandbox/shells-ahead.ts';
import { createVirtualSandbox } from '../../../src/workspace/sandbox/virtual-sandbox.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { runCommand, sandboxOptions } from './run-command.ts';

const open = async (options = {}) => {
  const parts = {
    dataHome: await temporaryFolder(),
    diskUseOf: NO_LIMITS,
    options: sandboxOptions({ timeout_seconds: 60, ...options }),
  };
  return { sandbox: createVirtualSandbox(parts) };
};

describe('memory', () => {
  const OUT_OF_MEMORY = { kind: 'stopped', cause: 'memory' };

  it('[sandbox.memory] commands that want gigabytes are killed, and one beside them continues', async () => {
    const { sandbox } = await open();
    const beside = runCommand(sandbox, 'for n in 1 2 3 4 5; do sleep 0.2; done; echo alive');
    const long = 'x=$(seq 1 100000); y="$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x"';
    const variables = `${long}; for n in $(seq 1 5000); do declare "v$n=$y$y$y$y$n"; done; echo ok`;
    expect((await runCommand(sandbox, variables)).outcome).toEqual(OUT_OF_MEMORY);
    const lists = `${long}; a=(); for n in $(seq 1 5000); do a[$n]="$y$y$y$n"; done; echo ok`;
    expect((await runCommand(sandbox, lists)).outcome).toEqual(OUT_OF_MEMORY);
    expect((await beside).stdout).toBe('alive\n');
  });

  it('[sandbox.memory] a database in memory cannot grow without limit', async () => {
    const { sandbox } = await open();
    const rows = 'with recursive r(n) as (select 1 union all select n + 1 from r where n < 3000)';
    const script = `sqlite3 :memory: 'create table t(b); ${rows} insert into t select zeroblob(1000000) from r; select 7'`;
    expect((await runCommand(sandbox, script)).stdout).toBe('');
    expect((await runCommand(sandbox, "sqlite3 :memory: 'select 1 + 1'")).stdout).toBe('2\n');
  });

  it('[sandbox.memory] files outside the folders of the thread stay small', async () => {
    const { sandbox } = await open();
    const script = `for n in 1 2 3; do seq 1 100000 >> a; done
      for n in $(seq 1 200); do cp a /tmp/$n || break; done 2>&1; rm a; echo over`;
    const { stdout } = await runCommand(sandbox, script);
    expect(stdout).toMatch(/byte limit exceeded[^\n]*\nover\n$/);
  });
});

it('[sandbox.disk] a file does not grow beyond the limit', async () => {
  const { sandbox } = await open({ file_mb: 1 });
  const { stdout } = await runCommand(sandbox, 'seq 1 100000 > a; cat a a > b; echo grown');
  expect(stdout).toBe('');
});

describe('processes', () => {
  const ahead = (args: readonly string[], idleMs = 60_000) =>
    createShellsAhead({ program: process.execPath, args, env: {}, inputs: [''] }, idleMs);

  it('[hostile.S34] [sandbox.alone] each runs one command, and the next command finds nothing of it', async () => {
    const { sandbox } = await open();
    for (const threadId of ['one', 'one', 'two', 'three', 'one', 'three']) {
      const place = { userId: 'ann', threadId };
      const { stdout } = await runCommand(sandbox, 'cat mine; echo "$LEFT"; echo x >> mine; LEFT=1', {
        place,
      });
      expect(stdout).toMatch(/^(x\n)*\n$/);
    }
    const place = { userId: 'ann', threadId: 'one' };
    expect((await runCommand(sandbox, 'cat mine', { place })).stdout).toBe('x\nx\nx\n');
  });

  it('[sandbox.alone] at most two wait, and each is used once', async () => {
    const shells = ahead(['-e', 'process.stdin.resume()']);
    for (let n = 0; n < 4; n++) shells.start();
    const taken = [shells.take(), shells.take(), shells.take()];
    expect(taken.map((it) => it?.pid !== undefined)).toEqual([true, true, false]);
    expect(taken[0]?.pid).not.toBe(taken[1]?.pid);
    for (const child of taken) child?.kill('SIGKILL');
  });

  it('[sandbox.alone] one that ends, cannot be started, or has waited too long is not used', async () => {
    const mark = join(await temporaryFolder(), 'pid');
    const ending = ahead(['-e', `require('node:fs').writeFileSync('${mark}', String(process.pid))`]);
    ending.start();
    await expect.poll(() => isOver(mark), { timeout: 20_000 }).toBe(true);
    const missing = createShellsAhead({ program: '/nowhere/node', args: [], env: {}, inputs: [''] });
    missing.start();
    const idle = ahead(['-e', 'setInterval(() => {}, 1000)'], 1);
    idle.start();
    // The clock must have advanced.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([ending.take(), missing.take(), idle.take()]).toEqual([undefined, undefined, undefined]);
  });
});

/** Whether the process that wrote its id there has ended. */
function isOver(mark: string): boolean {
  const pid = existsSync(mark) ? Number(readFileSync(mark, 'utf8')) : 0;
  try {
    return pid > 0 && !process.kill(pid, 0);
  } catch {
    return true;
  }
}

// One service per data home, also after the holder was killed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DataHomeLockedError, lockDataHome } from '../../src/workspace/data-home-lock.ts';
import { temporaryFolder } from './temporary-folder.ts';

const LOCK_MODULE = fileURLToPath(new URL('../../src/workspace/data-home-lock.ts', import.meta.url));

/** Starts another process that holds the lock until it is killed, although nothing refers to it. */
async function startHolder(dataHome: string) {
  const script = `
    const { lockDataHome } = await import(${JSON.stringify(LOCK_MODULE)});
    lockDataHome(${JSON.stringify(dataHome)});
    await new Promise(setImmediate);
    gc();
    process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

function lockFailure(dataHome: string): DataHomeLockedError {
  try {
    lockDataHome(dataHome).release();
  } catch (error) {
    if (error instanceof DataHomeLockedError) return error;
    throw error;
  }
  throw new Error('The data home was free');
}

describe('the lock of the data home', () => {
  it('[running.single] names the process that holds it, and is free as soon as that process is killed', async () => {
    const dataHome = await temporaryFolder();
    const holder = await startHolder(dataHome);
    try {
      const failure = lockFailure(dataHome);
      expect(failure.pid).toBe(holder.pid);
      expect(failure.message).toContain(`Process ${holder.pid}`);
    } finally {
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
    lockDataHome(dataHome).release();
  });

  it('[running.single] holds inside one process as well, until it is released', async () => {
    const dataHome = await temporaryFolder();
    const lock = lockDataHome(dataHome);
    expect(lockFailure(dataHome).pid).toBe(process.pid);
    lock.release();
    lock.release();
    lockDataHome(dataHome).release();
  });
});

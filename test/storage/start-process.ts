// Starts `storage-process.ts` for tests with more than one process.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { COMPILED } from '../support/compiled.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./storage-process.ts'));

/** Starts two processes that open the storage concurrently; returns their output about the first user. */
export async function insertFirstTwice(url: string): Promise<readonly string[]> {
  const start = () => promisify(execFile)(process.execPath, [SCRIPT, 'first', url], { env: COMPILED });
  const ends = await Promise.all([start(), start()]);
  return ends.map((end) => end.stdout.trim());
}

/** Kills a committing process after this many commits; returns the number that it acknowledged last. */
export async function killAmidCommits(url: string, commits: number): Promise<number> {
  const child = spawn(process.execPath, [SCRIPT, 'commit', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: COMPILED,
  });
  let printed = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (text: string) => {
    printed += text;
    if (acknowledged(printed) >= commits) child.kill('SIGKILL');
  });
  await closed(child);
  return acknowledged(printed);
}

export interface CommittingProcess {
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves after this many further commits. */
  committed(times: number): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a process that commits until it is killed. */
export function startCommits(url: string): CommittingProcess {
  const child = spawn(process.execPath, [SCRIPT, 'commit', url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: COMPILED,
  });
  return {
    signal: (signal) => void child.kill(signal),
    async committed(times) {
      for (let n = 0; n < times; n++) await once(child.stdout, 'data');
    },
    async kill() {
      child.kill('SIGKILL');
      await closed(child);
    },
  };
}

function acknowledged(printed: string): number {
  return Number(printed.slice(0, printed.lastIndexOf('\n')).split('\n').at(-1) || 0);
}

function closed(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

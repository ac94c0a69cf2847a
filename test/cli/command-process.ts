// A command as an operator runs it: a process of its own, with everything that it says.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface CommandProcess {
  readonly child: ChildProcess;
  /** Resolves when it has ended; `code` is `null` after a signal that it did not survive. */
  readonly ended: Promise<{ readonly code: number | null; readonly said: string; readonly progress: string }>;
}

const START = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));

interface CommandOptions {
  readonly dataHome: string;
  readonly cwd: string;
  /** The start of another copy of the repository. */
  readonly script?: string;
}

export function startCommand(
  args: readonly string[],
  { dataHome, cwd, script = START }: CommandOptions,
): CommandProcess {
  const { PATH = '', HOME = '' } = process.env;
  // Any free port: other tests start services at the same time.
  const env = { PATH, HOME, DATA_HOME: dataHome, PORT: '0' };
  const child = spawn(process.execPath, [script, ...args], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let progress = '';
  child.stdout.on('data', (piece) => (said += String(piece)));
  child.stderr.on('data', (piece) => (progress += String(piece)));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, said, progress }));
  return { child, ended };
}

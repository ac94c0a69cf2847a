// Processes of the bench: started, spoken to, and ended for certain.
import { type ChildProcess, type ForkOptions, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcess;
  readonly pid: number;
  /** The next message of the child. Rejects when the child ends first. */
  message(): Promise<unknown>;
  end(): Promise<void>;
  /** Kills the process immediately. */
  kill(): Promise<void>;
}

/** Starts a script of this folder, or of another place below the repository. */
export function startChild(script: string, args: readonly string[] = [], options: ForkOptions = {}): Child {
  const path = fileURLToPath(new URL(script, import.meta.url));
  const child = fork(path, [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options });
  const messages: unknown[] = [];
  let arrived = Promise.withResolvers<void>();
  child.on('message', (message) => {
    messages.push(message);
    arrived.resolve();
  });
  const exited = once(child, 'exit');
  return {
    process: child,
    pid: child.pid ?? 0,
    async message() {
      while (messages.length === 0) {
        await Promise.race([arrived.promise, exited]);
        if (messages.length === 0 && child.exitCode !== null) {
          throw new Error(`${script} ended with exit code ${child.exitCode}.`);
        }
        arrived = Promise.withResolvers();
      }
      return messages.shift();
    },
    async end() {
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), 5_000);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(killing);
    },
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await exited;
    },
  };
}

/** Starts a server and waits until it reports its port. */
export async function startServer(
  script: string,
  args: readonly string[] = [],
  options: ForkOptions = {},
): Promise<{ readonly child: Child; readonly port: number }> {
  const child = startChild(script, args, options);
  const told = await child.message();
  if (typeof told !== 'object' || told === null || !('port' in told) || typeof told.port !== 'number') {
    throw new Error(`${script} did not tell its port.`);
  }
  return { child, port: told.port };
}

export function tellParent(message: object): void {
  process.send?.(message);
}

/** A port that is free at this moment. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

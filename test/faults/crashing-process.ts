// Starts `crashing-service.ts`, orders it where to die, and restarts it after each death.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../support/bundled.ts';
import { COMPILED } from '../support/compiled.ts';
import { lastingPort } from '../support/lasting-port.ts';
import type { CrashOrder, CrashReport } from './crashing-service.ts';

export interface CrashingProcess {
  readonly dataHome: string;
  /** Resolves with its address once it accepts requests, after a death too. */
  up(): Promise<string>;
  /** Orders its death at a point, and resets the counts of its points. */
  arm(order: CrashOrder): void;
  /** Returns how often each point was passed since `arm`. */
  passed(): Promise<Readonly<Record<string, number>>>;
  /** Orders the deaths of its next starts, one each, with points counted from the start. */
  armNextStarts(orders: readonly CrashOrder[]): void;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  /** Sends SIGTERM; there is no new start until `start`. Returns its exit code. */
  stop(): Promise<number | null>;
  start(): void;
  /** The number of kills so far. */
  deaths(): number;
  /** Resolves after this many kills. */
  died(times: number): Promise<void>;
  /** Everything that it has logged. */
  said(): string;
  remove(): Promise<void>;
}

export interface CrashingOptions {
  readonly modelUrl: string;
  readonly databaseUrl?: string;
  /** Keys of the configuration file. */
  readonly config?: Record<string, unknown>;
}

const SCRIPT = fileURLToPath(import.meta.resolve('./crashing-service.ts'));
export const CANARY = 'CANARY-model-key';

export async function startCrashingProcess(options: CrashingOptions): Promise<CrashingProcess> {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-crash-'));
  const configFile = join(dataHome, 'config.yaml');
  // JSON is YAML.
  await writeFile(configFile, JSON.stringify(configuration(options)));
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ PATH, HOME, HOST: '127.0.0.1', DATA_HOME: dataHome, CONFIG_FILE: configFile },
    ...{ LOG_FORMAT: 'json', LOG_LEVEL: 'warn', ...COMPILED },
    ...(options.databaseUrl === undefined ? {} : { DATABASE_URL: options.databaseUrl }),
  };
  const script = await bundled(SCRIPT);
  const port = String(await lastingPort());
  const deaths = createDeaths();
  let said = '';
  let rests = false;
  let orders: readonly CrashOrder[] = [];
  let child: ChildProcess;
  let up: PromiseWithResolvers<string>;
  let counted: PromiseWithResolvers<Readonly<Record<string, number>>> | undefined;

  const start = (): void => {
    // The last output of a dying process is read after its death, when the test may wait for the next start
    // already.
    const awaited = up;
    const [order, ...later] = orders;
    orders = later;
    const crash =
      order === undefined ? {} : { CRASH_POINT: order.point, CRASH_OCCURRENCE: `${order.occurrence}` };
    child = fork(script, [], {
      env: { ...env, PORT: port, ...crash },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const output of [child.stdout, child.stderr]) output?.on('data', (bytes) => (said += String(bytes)));
    child.on('message', (report: CrashReport) => {
      if ('passed' in report) counted?.resolve(report.passed);
      else awaited.resolve(report.url);
    });
    child.once('exit', (code, signal) => {
      counted?.reject(new Error('The process died.'));
      if (signal === 'SIGKILL') deaths.add();
      else if (code !== 0) up.reject(new Error(`The service did not start or broke:\n${said}`));
      if (rests) return;
      if (signal === 'SIGKILL') restart();
    });
  };
  const restart = (): void => {
    const before = up;
    up = Promise.withResolvers();
    up.promise.catch(() => {});
    // Callers that are waiting wait for the next start.
    before.resolve(up.promise);
    start();
  };
  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> => {
    rests = true;
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
    return child.exitCode;
  };
  up = Promise.withResolvers();
  start();
  await up.promise;
  return {
    dataHome,
    up: () => up.promise,
    // A process that is dying of an earlier order accepts no more.
    arm: (order) => void child.send(order, () => {}),
    armNextStarts: (next) => {
      orders = next;
    },
    passed: () => {
      counted = Promise.withResolvers();
      child.send('passed?');
      return counted.promise;
    },
    signal: (signal) => void child.kill(signal),
    stop: () => end('SIGTERM'),
    start: () => {
      rests = false;
      restart();
    },
    deaths: deaths.count,
    died: deaths.reached,
    said: () => said,
    async remove() {
      child.kill('SIGCONT');
      await end('SIGKILL');
      await rm(dataHome, { recursive: true, force: true });
    },
  };
}

function createDeaths() {
  let count = 0;
  const waiting: { readonly times: number; readonly resolve: () => void }[] = [];
  return {
    count: () => count,
    add(): void {
      count++;
      for (const { times, resolve } of waiting) if (times <= count) resolve();
    },
    reached(times: number): Promise<void> {
      if (count >= times) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ times, resolve });
      return promise;
    },
  };
}

/** Cheap password hashes: the tests are about survival, not about cost. */
function configuration({ modelUrl, config }: CrashingOptions): Record<string, unknown> {
  const scripted = {
    name: 'scripted',
    provider: 'openai-compatible',
    model: 'scripted-1',
    base_url: modelUrl,
  };
  return {
    models: [{ ...scripted, api_key: CANARY }],
    auth: { password_hash: { memory_kib: 8, iterations: 1, parallelism: 1 } },
    // One person has many concurrent streams here, and one that is closed for another would miss frames.
    server: { max_streams_per_user: 100 },
    ...config,
  };
}

// The service as people start it: its own process, SQLite on disk, one model entry, one signed-in user.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SELF_SIGNED } from '../test/support/certificate.ts';
import { type Child, freePort, startChild } from './child.ts';
import type { Contender } from './contender.ts';
import { ASK, tellingLiveMemory } from './live-memory.ts';
import type { Wire } from './paced-streams.ts';

export interface RunningService extends Contender {
  readonly dataHome: string;
  readonly userId: string;
  /** From the start of the process to the first answer of `/health`. */
  readonly startMilliseconds: number;
  /** Bytes that live after a collection, in the heap and beside it; of a service that was started to tell it. */
  liveBytes(): Promise<number>;
  /** Stops the process and leaves its data. */
  stop(): Promise<void>;
  /** Ends the process as a crash does. */
  kill(): Promise<void>;
}

/** The values that another process needs to continue as the same service. */
export type StoppedService = Pick<RunningService, 'dataHome' | 'port' | 'headers' | 'userId'>;

interface ServiceOptions {
  /** Another checkout's entry, to compare two versions in one run. */
  readonly main?: string;
  /** Lines of the configuration under `runs:`. */
  readonly runs?: readonly string[];
  /** Lines of the configuration under `memory:`. */
  readonly memory?: readonly string[];
  /** Another database than SQLite in the data home. */
  readonly databaseUrl?: string | undefined;
  /** Of Postgres; absent: as the service does it by itself. */
  readonly rowLevelSecurity?: boolean;
  readonly tellsLiveMemory?: boolean;
  /** What the model server speaks; chat completions over HTTP if absent. */
  readonly wire?: Wire;
}

/** Started as `npm start` does it. */
export async function startService(modelPort: number, options: ServiceOptions = {}): Promise<RunningService> {
  const dataHome = mkdtempSync(join(tmpdir(), 'bench-service-'));
  const port = await freePort();
  const process = await launch({ modelPort, dataHome, port, ...options });
  return { ...process, ...(await signUp(port, 'bench@example.com')) };
}

/** Another process on the data and the port of one that was stopped or killed. */
export async function restartService(
  { dataHome, port, headers, userId }: StoppedService,
  modelPort: number,
  options: ServiceOptions = {},
): Promise<RunningService> {
  return { ...(await launch({ modelPort, dataHome, port, ...options })), headers, userId };
}

interface Launch extends ServiceOptions {
  readonly modelPort: number;
  readonly dataHome: string;
  readonly port: number;
}

async function launch({ modelPort, dataHome, port, main = '../src/start.mjs', ...options }: Launch) {
  const configFile = join(dataHome, 'config.yaml');
  writeFileSync(configFile, configuration(modelPort, options));
  const began = performance.now();
  const child = startChild(main, ['serve'], {
    env: {
      ...process.env,
      PORT: String(port),
      DATA_HOME: dataHome,
      CONFIG_FILE: configFile,
      ...(options.wire === 'tls' && trusting(dataHome)),
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      ...(options.databaseUrl !== undefined && { DATABASE_URL: options.databaseUrl }),
    },
    execArgv: [...profiling(), ...(options.tellsLiveMemory === true ? tellingLiveMemory() : [])],
  });
  await untilHealthy(child, port);
  const startMilliseconds = performance.now() - began;
  return {
    name: 'service',
    pid: child.pid,
    port,
    prefix: '/api/graph',
    createsThreads: true,
    dataHome,
    startMilliseconds,
    async liveBytes() {
      child.process.send(ASK);
      const told = await child.message();
      if (typeof told === 'object' && told !== null && 'liveBytes' in told) return Number(told.liveBytes);
      throw new Error('The service did not tell its memory.');
    },
    stop: child.end,
    kill: child.kill,
    async end() {
      await child.end();
      rmSync(dataHome, { recursive: true, force: true });
    },
  };
}

function trusting(dataHome: string): NodeJS.ProcessEnv {
  const file = join(dataHome, 'model-server.pem');
  writeFileSync(file, SELF_SIGNED.cert);
  return { NODE_EXTRA_CA_CERTS: file };
}

function configuration(
  modelPort: number,
  { runs = [], memory = [], rowLevelSecurity, wire }: ServiceOptions,
): string {
  const database = rowLevelSecurity === undefined ? [] : [`row_level_security: ${rowLevelSecurity}`];
  return `server:
  # All clients of the bench are one user on one machine.
  max_streams_per_user: 10000
  max_connections_per_address: 100000
models:
  - name: bench
    provider: ${wire === 'anthropic' ? 'anthropic' : 'openai-compatible'}
    model: bench
    api_key: bench
    base_url: ${wire === 'tls' ? 'https' : 'http'}://127.0.0.1:${modelPort}/v1
${section('runs', ['per_user: 10000', ...runs])}${section('memory', memory)}${section('database', database)}`;
}

function section(name: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [`${name}:`, ...lines.map((line) => `  ${line}`), ''].join('\n');
}

/** BENCH_PROFILE names a folder: the service then writes a CPU profile there when it stops. */
function profiling(): string[] {
  const folder = process.env.BENCH_PROFILE;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

async function untilHealthy(child: Child, port: number): Promise<void> {
  for (;;) {
    if (child.process.exitCode !== null) throw new Error('The service did not start.');
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A new account with its session. */
export async function signUp(port: number, email: string) {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'as fast as it can be' }),
  });
  const { id } = JSON.parse(await answer.text());
  const cookies = answer.headers.getSetCookie().map((it) => it.split(';', 1)[0] ?? '');
  const csrf = cookies.find((it) => it.startsWith('csrf_token='))?.slice('csrf_token='.length) ?? '';
  return { userId: id, headers: { cookie: cookies.join('; '), 'x-csrf-token': csrf } };
}

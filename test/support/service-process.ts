// The service as a separate process on a free port that can be killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED } from './compiled.ts';
import { lastingPort } from './lasting-port.ts';

export interface ServiceProcess {
  /** The same before and after `restart`. */
  readonly url: string;
  readonly dataHome: string;
  /** Returns those of the generated administrator, from the file whose path the service printed. */
  credentials(): Promise<{ readonly email: string; readonly password: string }>;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Starts the service again on the same data home and port. */
  restart(): Promise<void>;
  /** Sends SIGTERM; resolves with the exit code once the service has handed its runs over. */
  stop(): Promise<number | null>;
  /** Ends the process immediately and removes its data home. */
  remove(): Promise<void>;
}

interface ServiceProcessOptions {
  /** Additional variables; nothing else of the test's environment reaches the service. */
  readonly env?: Readonly<Record<string, string>>;
  /** A program with its arguments that starts the service in its own process. */
  readonly through?: readonly string[];
}

interface Running {
  readonly child: ChildProcess;
  readonly url: string;
  readonly credentialsFile: string | undefined;
}

const START = fileURLToPath(new URL('../../src/start.mjs', import.meta.url));
const START_MS = 100_000;

/** Resolves when the service has printed its address; rejects with its output when it could not start. */
export async function startServiceProcess({
  env = {},
  through = [],
}: ServiceProcessOptions = {}): Promise<ServiceProcess> {
  const dataHome = await mkdtemp(join(tmpdir(), 'agent-service-process-'));
  const { PATH = '', HOME = '' } = process.env;
  const base = {
    PATH,
    HOME,
    HOST: '127.0.0.1',
    DATA_HOME: dataHome,
    LOG_FORMAT: 'json',
    ...COMPILED,
    ...env,
  };
  const port = String(await lastingPort());
  let running = await start({ PORT: port, ...base }, through);
  const { url, credentialsFile } = running;

  return {
    url,
    dataHome,
    async credentials() {
      if (credentialsFile === undefined) throw new Error('The service printed no credentials file.');
      const text = await readFile(credentialsFile, 'utf8');
      return { email: field(text, 'email'), password: field(text, 'password') };
    },
    kill: () => end(running.child, 'SIGKILL').then(() => undefined),
    async restart() {
      running = await start({ ...base, PORT: port });
    },
    stop: () => end(running.child, 'SIGTERM'),
    async remove() {
      await end(running.child, 'SIGKILL');
      await rm(dataHome, { recursive: true, force: true });
    },
  };
}

async function start(
  env: Readonly<Record<string, string>>,
  through: readonly string[] = [],
): Promise<Running> {
  const [program = process.execPath, ...args] = [...through, process.execPath, START, 'serve'];
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = await firstOutput(child);
  const url = /^Agent service +(\S+)/m.exec(output)?.[1];
  if (url === undefined) throw new Error(`The service did not start. It said:\n${output}`);
  return { child, url, credentialsFile: /^Credentials +(\S.*)$/m.exec(output)?.[1]?.trim() };
}

/** Returns the output up to the line about the models, which is the last one before the log. */
function firstOutput(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    let output = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), START_MS);
    const finish = () => {
      clearTimeout(timer);
      resolve(output);
    };
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (/^Models .*\n/m.test(output)) finish();
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('exit', finish);
  });
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
  return child.exitCode;
}

function field(text: string, name: string): string {
  const value = new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`The credentials file has no line for ${name}.`);
  return value;
}

// `npm run bench -- --extensions`: what skills and tool servers add to a turn, with and without them by turns in one process.
import { spawn } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sandboxOptionsSchema } from '../src/workspace/sandbox/sandbox-options.ts';
import { type Child, startServer } from './child.ts';
import { post, quantile } from './run-client.ts';
import { type RunningService, startService } from './service.ts';

export interface ExtensionFigures {
  readonly servers: number;
  readonly tools: number;
  readonly skills: number;
  /** Of a turn in which the model says twenty words, in milliseconds. */
  readonly plain: number;
  readonly withServers: Added;
  readonly withSilent: Added;
  /** The first turn after the silent server was configured: what waits for it, once. */
  readonly silentOnce: number;
  readonly withSkills: Added;
  readonly stdio: StdioFigures;
}

/** Medians over the rounds: milliseconds of a turn, what it has more than a plain one, and bytes that its prompt has more. */
export interface Added {
  readonly ms: number;
  readonly addedMs: number;
  readonly addedBytes: number;
}

/** Medians, in milliseconds. */
interface StdioFigures {
  /** From the start of the program to the answer of its first call, spoken to directly. */
  readonly own: number;
  /** A run with the first call of a server, less one with a later call. */
  readonly firstUse: number;
  /** The difference to the program alone. */
  readonly beyond: number;
}

const SERVERS = 20;
const TOOLS_OF_EACH = 10;
const SKILLS = 50;
const ROUNDS = 15;
const TURNS = 7;
const STARTS = 7;
const FAILURE = /^event: error$|"content":"Error: /m;
const SAYING = 'padded=20';
const INIT_SECONDS = 1;
/** The folder that the service searches for programs first; the Node that runs it comes last. */
const PROGRAMS = sandboxOptionsSchema.parse({}).path;
const SCRIPT = fileURLToPath(new URL('tool-server.mjs', import.meta.url));

export async function measureExtensions(log: (text: string) => void): Promise<ExtensionFigures> {
  const { child: model, port: modelPort } = await startServer('model-server.ts');
  const { child: tools, port: toolPort } = await startServer('tool-server.mjs');
  const service = await startService(modelPort);
  try {
    return await measured({ service, modelPort, toolPort }, log);
  } finally {
    const children: readonly Pick<Child, 'end'>[] = [service, tools, model];
    for (const it of children) await it.end();
  }
}

interface Bench {
  readonly service: RunningService;
  readonly modelPort: number;
  readonly toolPort: number;
}

async function measured(bench: Bench, log: (text: string) => void): Promise<ExtensionFigures> {
  const { service, toolPort } = bench;
  for (let turn = 0; turn < 50; turn++) await turnMilliseconds(service);
  log(`${SERVERS} tool servers`);
  const many = Array.from({ length: SERVERS }, (_, index) => [`server${index}`, httpServer(toolPort, index)]);
  const withServers = await added(bench, {
    on: () => configure(service, Object.fromEntries(many)),
    off: () => configure(service, {}),
  });
  log('a tool server that never answers');
  const silent = { silent: { ...httpServer(toolPort, 'silent'), session_init_timeout: INIT_SECONDS } };
  configure(service, silent);
  const silentOnce = await turnMilliseconds(service);
  // Its first timeout is over.
  await new Promise((resolve) => setTimeout(resolve, INIT_SECONDS * 1_500));
  const withSilent = await added(bench, {
    on: () => configure(service, silent),
    off: () => configure(service, {}),
  });
  log(`${SKILLS} skills`);
  const withSkills = await added(bench, {
    on: () => writeSkills(service),
    off: () => rmSync(skillsFolder(service), { recursive: true, force: true }),
  });
  log('a tool server over its pipes');
  return {
    servers: SERVERS,
    tools: SERVERS * TOOLS_OF_EACH,
    skills: SKILLS,
    plain: withServers.ms - withServers.addedMs,
    withServers,
    withSilent,
    silentOnce,
    withSkills,
    stdio: await firstUse(service),
  };
}

function httpServer(port: number, path: string | number) {
  return { type: 'http', url: `http://127.0.0.1:${port}/${path}` };
}

/** As an administrator who edits the file; a service that runs sees it. */
function configure({ dataHome }: RunningService, mcpServers: object): void {
  const file = join(dataHome, 'mcp.json');
  writeFileSync(`${file}.new`, JSON.stringify({ mcpServers }), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

function skillsFolder({ dataHome, userId }: RunningService): string {
  return join(dataHome, 'users', userId, 'skills', 'custom');
}

function writeSkills(service: RunningService): void {
  for (let index = 0; index < SKILLS; index++) {
    const name = `bench-skill-${index}`;
    const folder = join(skillsFolder(service), name);
    mkdirSync(folder, { recursive: true });
    const description = `Does work of kind ${index}, step by step.`;
    const head = `---\nname: ${name}\ndescription: ${description}\n---\n`;
    writeFileSync(join(folder, 'SKILL.md'), `${head}\n# Work of kind ${index}\n\nDo it well.\n`);
  }
}

/** With and without by turns, so that what else the machine does hits both. */
async function added(
  { service, modelPort }: Bench,
  { on, off }: { readonly on: () => void; readonly off: () => void },
): Promise<Added> {
  const withIt: number[] = [];
  const differences: number[] = [];
  const bytes: number[] = [];
  const turns = async (change: () => void) => {
    change();
    // The turn that sees the change first is not counted.
    await turnMilliseconds(service);
    const ms = await median(TURNS, () => turnMilliseconds(service));
    return { ms, bytes: await promptBytes(modelPort) };
  };
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await turns(off);
    const extended = await turns(on);
    withIt.push(extended.ms);
    differences.push(extended.ms - plain.ms);
    bytes.push(extended.bytes - plain.bytes);
  }
  off();
  return {
    ms: quantile(withIt, 0.5),
    addedMs: quantile(differences, 0.5),
    addedBytes: quantile(bytes, 0.5),
  };
}

/** Of the last request that the model server was sent. */
async function promptBytes(modelPort: number): Promise<number> {
  const told = JSON.parse(await (await fetch(`http://127.0.0.1:${modelPort}/last`)).text());
  return Number(told.bytes);
}

/** A thread of its own with one run, read to its end. */
async function turnMilliseconds(service: RunningService, question = SAYING): Promise<number> {
  const { thread_id } = await post(service, `${service.prefix}/threads`, {});
  const start = performance.now();
  const text = await streamed(service, `${service.prefix}/threads/${thread_id}/runs/stream`, question);
  const ended = performance.now() - start;
  if (FAILURE.test(text)) throw new Error(`The run failed: ${text.slice(-500)}`);
  return ended;
}

async function streamed(service: RunningService, path: string, question: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: question }] },
      stream_mode: ['messages-tuple'],
    }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return text;
}

/** A server with another name is another server: each is started for its first call. */
async function firstUse(service: RunningService): Promise<StdioFigures> {
  const own: number[] = [];
  const used: number[] = [];
  const beyond: number[] = [];
  for (let start = 0; start < STARTS; start++) {
    const name = `pipes${start}`;
    configure(service, { [name]: { command: 'node', args: [SCRIPT, 'stdio'] } });
    const question = `call=${name}_look_up_0`;
    const alone = await ownStart();
    const first = await turnMilliseconds(service, question);
    const later = await median(TURNS, () => turnMilliseconds(service, question));
    own.push(alone);
    used.push(first - later);
    beyond.push(first - later - alone);
  }
  return { own: quantile(own, 0.5), firstUse: quantile(used, 0.5), beyond: quantile(beyond, 0.5) };
}

/** The program without the service: started, initialized, listed and called once. */
async function ownStart(): Promise<number> {
  const start = performance.now();
  const env = { PATH: `${PROGRAMS}:${dirname(process.execPath)}` };
  const child = spawn('node', [SCRIPT, 'stdio'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const asks = [
    [
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'b', version: '1' } },
    ],
    ['tools/list', {}],
    ['tools/call', { name: 'look_up_0', arguments: { query: 'tea' } }],
  ] as const;
  for (const [id, [method, params]] of asks.entries()) {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    await lines.next();
  }
  const ended = performance.now() - start;
  child.kill();
  return ended;
}

async function median(times: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time++) values.push(await measure());
  return quantile(values, 0.5);
}

// `node bench/workspace.ts`, or `npm run bench -- --workspace`: files of threads, their snapshots, and commands on them.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createFairShare } from '../src/fair-share/fair-share.ts';
import { createConfinement } from '../src/processes/confinement.ts';
import { createSearchTools } from '../src/tools/search-tools.ts';
import type { Tool } from '../src/tools/tool.ts';
import { createDiskUse, NO_LIMITS } from '../src/workspace/quota/disk-use.ts';
import { quotaOptionsSchema } from '../src/workspace/quota/quota-options.ts';
import { createBubblewrapSandbox } from '../src/workspace/sandbox/bubblewrap-sandbox.ts';
import type { Sandbox } from '../src/workspace/sandbox/sandbox.ts';
import { sandboxOptionsSchema } from '../src/workspace/sandbox/sandbox-options.ts';
import { createVirtualSandbox } from '../src/workspace/sandbox/virtual-sandbox.ts';
import { createWorkspaceSearch } from '../src/workspace/search/workspace-search.ts';
import { workspaceOptionsSchema } from '../src/workspace/snapshots/snapshot-options.ts';
import { createSnapshots } from '../src/workspace/snapshots/snapshots.ts';
import { startServer } from './child.ts';
import { type ConversionFigures, measureConversion } from './convert.ts';
import { measureTransfer, type TransferFigures } from './file-transfer.ts';
import { workspaceSection } from './report-workspace.ts';

export interface WorkspaceFigures {
  readonly transfer: TransferFigures;
  readonly conversion: ConversionFigures;
  readonly files: number;
  /** Of writing the files, one after the other. */
  readonly written: Cost;
  /** Medians of a few rounds but for `first`. */
  readonly snapshot: { readonly first: Cost; readonly unchanged: Cost; readonly oneChanged: Cost };
  readonly grep: Cost;
  readonly count: Cost;
  /** Of `true`, by sandbox. */
  readonly commandMs: Readonly<Record<string, number>>;
}

/** Milliseconds: by the clock, and of CPU. */
interface Cost {
  readonly ms: number;
  readonly cpuMs: number;
}

const FILES = 10_000;
const IN_A_FOLDER = 100;
const ROUNDS = 5;
const COMMANDS = 20;
/** Files that were written a moment ago are read once more. */
const SETTLED_MS = 200;
const PLACE = { userId: 'u', threadId: 't' };

/** `log` receives the name of the next measurement. */
export async function measureWorkspace(
  modelPort: number,
  log: (text: string) => void,
): Promise<WorkspaceFigures> {
  log('files up and down');
  const transfer = await measureTransfer(modelPort);
  log('a long PDF');
  const conversion = await measureConversion();
  log(`${FILES} files`);
  const dataHome = await mkdtemp(join(tmpdir(), 'workspace-bench-'));
  try {
    const workspace = join(dataHome, 'users', 'u', 'threads', 't', 'user-data', 'workspace');
    const written = await costOf(() => fill(workspace));
    const searched = await median(ROUNDS, () => grep(dataHome));
    const count = await measureCount(dataHome);
    const snapshot = await measureSnapshots(dataHome, workspace);
    log('commands');
    const commandMs = await measureCommands(dataHome);
    return { transfer, conversion, files: FILES, written, snapshot, grep: searched, count, commandMs };
  } finally {
    await rm(dataHome, { recursive: true });
  }
}

async function fill(workspace: string): Promise<void> {
  for (let index = 0; index < FILES; index += 1) {
    const folder = join(workspace, `folder${Math.floor(index / IN_A_FOLDER)}`);
    if (index % IN_A_FOLDER === 0) await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `file${index}.txt`), `line of file ${index}\n`.repeat(150));
  }
}

async function measureSnapshots(dataHome: string, workspace: string): Promise<WorkspaceFigures['snapshot']> {
  const { snapshots: options } = workspaceOptionsSchema.parse({});
  const snapshots = createSnapshots({ dataHome, diskUseOf: NO_LIMITS, options, now: Date.now });
  const take = () => snapshots.take(PLACE, { kind: 'run_end', runId: 'r', checkpointId: null });
  const first = await costOf(take);
  await pause(SETTLED_MS);
  await take();
  const unchanged = await median(ROUNDS, take);
  let round = 0;
  const oneChanged = await median(ROUNDS, async () => {
    round += 1;
    await writeFile(join(workspace, 'folder0', 'file0.txt'), `changed ${round}`);
    await take();
  });
  return { first, unchanged, oneChanged };
}

/** As the agent does it, with a pattern that every file has once. */
async function grep(dataHome: string): Promise<void> {
  const places = createFairShare({ total: 1, perOwner: 1, waitingPerOwner: 0, longestWaitMs: 0 });
  const search = createWorkspaceSearch({ dataHome, places });
  const tools = createSearchTools(() => search(PLACE));
  const tool = tools.find(({ name }) => name === 'grep');
  if (tool === undefined) throw new Error('There is no grep.');
  const outcome = await run(tool, { pattern: 'file 9999$', path: '/mnt/user-data/workspace' });
  if (!JSON.stringify(outcome).includes('file9999.txt')) throw new Error('grep did not find it.');
}

async function run(tool: Tool, args: Record<string, string>) {
  const parsed = tool.parse(args);
  if (!parsed.ok) throw new Error(parsed.problem);
  const signal = new AbortController().signal;
  const nobody = () => {
    throw new Error('Nobody is asked.');
  };
  const call = {
    ...PLACE,
    runId: 'r',
    callId: 'c',
    seesImages: false,
    knownFiles: new Map(),
    maxCharacters: 100_000,
    signal,
  };
  return parsed.run({ ...call, emit: () => {}, interrupt: nobody });
}

function measureCount(dataHome: string): Promise<Cost> {
  const diskUse = quotaOf(dataHome).diskUseOf(PLACE);
  return median(ROUNDS, async () => {
    diskUse.changed();
    await diskUse.usage();
  });
}

async function measureCommands(dataHome: string): Promise<Readonly<Record<string, number>>> {
  const options = sandboxOptionsSchema.parse({});
  const parts = { dataHome, options, diskUseOf: quotaOf(dataHome).diskUseOf };
  const confinement = createConfinement({ path: options.path, hidden: [] });
  const { bubblewrap } = await confinement();
  const sandboxes: Sandbox[] = [
    ...(bubblewrap.works ? [createBubblewrapSandbox({ ...parts, confinement })] : []),
    createVirtualSandbox(parts),
  ];
  const place = { userId: 'u', threadId: 'commands' };
  const figures: Record<string, number> = {};
  for (const sandbox of sandboxes) {
    const command = { place, script: 'true', signal: new AbortController().signal, onOutput: () => {} };
    figures[sandbox.kind] = (await median(COMMANDS, () => sandbox.run(command))).ms;
  }
  return figures;
}

async function median(rounds: number, work: () => Promise<unknown>): Promise<Cost> {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) costs.push(await costOf(work));
  const middle = (of: (cost: Cost) => number) => costs.map(of).toSorted((a, b) => a - b)[rounds >> 1] ?? 0;
  return { ms: middle(({ ms }) => ms), cpuMs: middle(({ cpuMs }) => cpuMs) };
}

async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const start = performance.now();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

if (import.meta.main) {
  const { child, port } = await startServer('model-server.ts');
  const progress = (text: string) => console.error(`... ${text}`);
  console.log(workspaceSection(await measureWorkspace(port, progress)));
  await child.end();
}

function quotaOf(dataHome: string) {
  return createDiskUse({ dataHome, options: quotaOptionsSchema.parse({}), storedBytes: async () => 0 });
}

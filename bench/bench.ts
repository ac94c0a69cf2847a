// `npm run bench [-- --peer] [--quick] [--long] [--record | --only-record] [--workspace | --only-workspace] [--extensions | --only-extensions] [--against <checkout>]`: speed and size of the service, beside what it is compared with.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { compareWith } from './against.ts';
import { measureCancel } from './cancel.ts';
import { startServer } from './child.ts';
import { type Contender, startPassThrough } from './contender.ts';
import { measureExtensions } from './extensions.ts';
import { measureFirstRuns } from './first-runs.ts';
import { measureIdleStreams } from './idle-streams.ts';
import { measureJoin } from './join.ts';
import { type Load, type Measurement, measure, medianOf } from './load.ts';
import { measureLongThread } from './long-thread.ts';
import { measurePacedStreams } from './paced-streams.ts';
import { startPeer } from './peer.ts';
import { residentMegabytes } from './process-usage.ts';
import { measureRecord } from './record.ts';
import { measureRecovery, measureRestart } from './recovery.ts';
import {
  type BenchReport,
  type LoadFigures,
  machine,
  markdownOf,
  recordPage,
  type StartFigures,
} from './report.ts';
import { extensionPage } from './report-extensions.ts';
import type { RunFigures } from './report-runs.ts';
import type { StreamFigures } from './report-streams.ts';
import { workspacePage } from './report-workspace.ts';
import { startService } from './service.ts';
import { measureWaitingRuns } from './waiting-runs.ts';
import { measureWorkspace } from './workspace.ts';

const { values: options } = parseArgs({
  options: {
    peer: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    workspace: { type: 'boolean', default: false },
    'only-record': { type: 'boolean', default: false },
    'only-workspace': { type: 'boolean', default: false },
    extensions: { type: 'boolean', default: false },
    'only-extensions': { type: 'boolean', default: false },
    streams: { type: 'boolean', default: false },
    keep: { type: 'string' },
    database: { type: 'string' },
    against: { type: 'string' },
  },
});

const CLIENTS = [1, 32, 128];
const TOKENS = [50, 1_000];
const ROUNDS = options.quick ? 1 : 3;
const MILLISECONDS = options.quick ? 1_500 : 3_000;
const WARM_UP: Load = { clients: 32, tokens: 1_000, padding: 'padded', milliseconds: 1_500 };
const IDLE_MS = options.quick ? 2_000 : 10_000;
const STARTS = 3;
const STREAMS = { paced: 1_000, rampMs: 10_000, steadyMs: 20_000, idle: 5_000, settleMs: 10_000 };

const RUNS = { events: 10_000, cancels: 200, fewCancels: 40, recovered: 32, restarted: 1_000, waiting: 500 };
/** The default of the configuration, and one for providers that accept all calls concurrently. */
const RESUMED_PER_SECOND = [50, 1_000];

const RECORD = options.quick ? { threads: 10_000, events: 100_000 } : { threads: 100_000, events: 1_000_000 };

const begun = machine();
const model = await startServer('model-server.ts');
try {
  if (options.against !== undefined) await measureAgainst(options.against);
  else if (options['only-record']) await measureOnlyRecord();
  else if (options['only-workspace']) await measureOnlyFiles();
  else if (options['only-extensions']) await measureOnlyExtensions();
  else await measureAllOfIt();
} finally {
  await model.child.end();
}

async function measureAllOfIt(): Promise<void> {
  const start = await measureStart();
  const loads = await measureLoads();
  const streams = options.quick && !options.streams ? undefined : await measureStreams();
  const runs = await measureRuns();
  const longThread = await measureLongThread({
    modelPort: model.port,
    turns: options.long ? 2_000 : 200,
    log: progress,
  });
  const record = options.record
    ? await measureRecord({ modelPort: model.port, size: RECORD, log: progress })
    : undefined;
  const workspace = options.workspace ? await measureWorkspace(model.port, progress) : undefined;
  const extensions = options.extensions ? await measureExtensions(progress) : undefined;
  const added = { record, workspace, extensions };
  const report: BenchReport = { machine: begun, start, loads, streams, runs, ...added, longThread };
  write(report, markdownOf(report));
}

/** Printed only: its figures say something of these two versions alone. */
async function measureAgainst(folder: string): Promise<void> {
  const { page, worse } = await compareWith({
    modelPort: model.port,
    folder,
    loads: [...loads()],
    pairs: options.quick ? 5 : 9,
    idleMilliseconds: IDLE_MS,
    log: progress,
  });
  console.log(`\n${begun}\n\n${page}`);
  if (worse.length === 0) return;
  console.error(`More than 5 % worse than the other version: ${worse.join('; ')}`);
  process.exitCode = 1;
}

async function measureOnlyRecord(): Promise<void> {
  const { keep, database } = options;
  const order = { modelPort: model.port, size: RECORD, keep, database, log: progress };
  const record = await measureRecord(order);
  write({ machine: begun, record }, recordPage(begun, record), '-record');
}

async function measureOnlyFiles(): Promise<void> {
  const workspace = await measureWorkspace(model.port, progress);
  write({ machine: begun, workspace }, workspacePage(begun, workspace), '-workspace');
}

async function measureOnlyExtensions(): Promise<void> {
  const extensions = await measureExtensions(progress);
  write({ machine: begun, extensions }, extensionPage(begun, extensions), '-extensions');
}

async function measureRuns(): Promise<RunFigures> {
  progress('joining, cancelling and taking up runs');
  const join = await measureJoin(RUNS.events);
  const cancel = await measureCancel(options.quick ? RUNS.fewCancels : RUNS.cancels);
  const recovery = await measureRecovery(RUNS.recovered);
  progress('first runs after a start');
  const first = await measureFirstRuns(model.port);
  if (options.quick) return { join, cancel, recovery, restarts: [], first, waiting: undefined };
  const restarts = [];
  for (const perSecond of RESUMED_PER_SECOND) {
    progress(`restart with ${RUNS.restarted} running runs, ${perSecond} a second`);
    restarts.push(await measureRestart(RUNS.restarted, perSecond));
  }
  progress(`${RUNS.waiting} runs that wait for their model`);
  const waiting = await measureWaitingRuns({ runs: RUNS.waiting, settleMs: STREAMS.settleMs });
  return { join, cancel, recovery, restarts, first, waiting };
}

async function measureStart(): Promise<StartFigures> {
  progress('start and idle memory');
  const milliseconds: number[] = [];
  let idleMegabytes = 0;
  for (let index = 0; index < STARTS; index++) {
    const service = await startService(model.port);
    milliseconds.push(service.startMilliseconds);
    if (index === STARTS - 1) {
      await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
      idleMegabytes = residentMegabytes(service.pid);
    }
    await service.end();
  }
  return { milliseconds: milliseconds.toSorted((a, b) => a - b)[1] ?? 0, idleMegabytes };
}

async function measureLoads(): Promise<readonly LoadFigures[]> {
  const passThrough = await startPassThrough(model.port);
  const service = await startService(model.port);
  const peer = options.peer ? await startPeer(model.port) : undefined;
  const contenders = [passThrough, service, ...(peer === undefined ? [] : [peer])];
  try {
    for (const contender of contenders) {
      progress(`warming up: ${contender.name}`);
      await measure(contender, WARM_UP);
      await measure(contender, { ...WARM_UP, tokens: 50 });
    }
    const figures: LoadFigures[] = [];
    for (const load of loads()) figures.push(await measureAll(contenders, load));
    return figures;
  } finally {
    for (const contender of contenders) await contender.end();
  }
}

/** One frame a token everywhere, and once more with events that the service may join. */
function* loads(): Generator<Load> {
  for (const tokens of TOKENS)
    for (const clients of CLIENTS) yield { clients, tokens, padding: 'padded', milliseconds: MILLISECONDS };
  yield { clients: 32, tokens: 1_000, padding: 'plain', milliseconds: MILLISECONDS };
}

/** The contenders by turns, so that what else the machine does hits all of them. */
async function measureAll(contenders: readonly Contender[], load: Load): Promise<LoadFigures> {
  progress(`${load.clients} clients, ${load.tokens} tokens (${load.padding})`);
  const measured = new Map<string, Measurement[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const contender of contenders) {
      const list = measured.get(contender.name) ?? [];
      list.push(await measure(contender, load));
      measured.set(contender.name, list);
    }
  }
  return {
    load,
    contenders: Object.fromEntries([...measured].map(([name, list]) => [name, medianOf(list)])),
  };
}

async function measureStreams(): Promise<StreamFigures> {
  const { rampMs, steadyMs, settleMs } = STREAMS;
  const paced = [];
  for (let round = 0; round < ROUNDS; round++) {
    progress(`${STREAMS.paced} streams at the pace of a model`);
    paced.push(await measurePacedStreams({ streams: STREAMS.paced, rampMs, steadyMs }, startService));
  }
  progress('the same through the pass-through');
  const passedThrough = await measurePacedStreams(
    { streams: STREAMS.paced, rampMs, steadyMs },
    startPassThrough,
  );
  progress(`${STREAMS.idle} idle streams`);
  return { paced, passedThrough, idle: await measureIdleStreams({ streams: STREAMS.idle, settleMs }) };
}

function write(report: object, markdown: string, suffix = ''): void {
  const folder = fileURLToPath(new URL('results', import.meta.url));
  mkdirSync(folder, { recursive: true });
  const name = `${folder}/${new Date().toISOString().slice(0, 10)}${suffix}`;
  writeFileSync(`${name}.json`, `${JSON.stringify(report, rounded, 2)}\n`);
  writeFileSync(`${name}.md`, markdown);
  console.log(`\n${markdown}\nWritten to ${name}.md and .json`);
}

function progress(text: string): void {
  console.error(`... ${text}`);
}

function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 1_000) / 1_000 : value;
}

// This version beside another checkout of the project, in turns on one machine: the cost of a change, separate from other activity of the machine.
import { pathToFileURL } from 'node:url';
import type { Contender } from './contender.ts';
import { type Load, type Measurement, measure } from './load.ts';
import { residentMegabytes } from './process-usage.ts';
import { number, table } from './report-table.ts';
import { startService } from './service.ts';

interface Order {
  readonly modelPort: number;
  /** The root folder of the other checkout, installed and built. */
  readonly folder: string;
  readonly loads: readonly Load[];
  /** Times that each version is started and measured. */
  readonly pairs: number;
  /** Milliseconds after a start until memory is read. */
  readonly idleMilliseconds: number;
  log(text: string): void;
}

type Start = (modelPort: number) => Promise<Contender & { readonly startMilliseconds: number }>;

/** The usage of one process of a version, from its start to its end. */
interface Figures {
  readonly startMilliseconds: number;
  readonly idleMegabytes: number;
  /** Of each load, in their order. */
  readonly loads: readonly Measurement[];
}

/** Ratios of one figure, this version over the other, one for each pair. */
interface Ratios {
  readonly figure: string;
  readonly ours: number;
  readonly theirs: number;
  readonly ratios: readonly number[];
}

/** Until the hot paths are compiled: a process that has just begun takes up to twice the CPU. */
const WARM_UP: readonly Load[] = [
  { clients: 32, tokens: 50, padding: 'padded', milliseconds: 4_000 },
  { clients: 32, tokens: 1_000, padding: 'padded', milliseconds: 4_000 },
];

/** A version may take so much more of a run than the other one: changes add up. */
const MOST_WORSE = 0.05;

interface Comparison {
  readonly page: string;
  /** Figures of runs that are worse by more than may be, in the middle of all pairs. */
  readonly worse: readonly string[];
}

/**
 * A page with the ratios of CPU per token, runs per second, start and idle memory. One version runs at a time: of two
 * that are there at once, the one that was started first took up to half more. Each pair is measured one right after the
 * other, in changing order; quartiles show how far a ratio can be trusted.
 */
export async function compareWith(order: Order): Promise<Comparison> {
  const { folder, pairs, loads, log } = order;
  const startOther = await otherStart(folder);
  const measured: Pair[] = [];
  for (let index = 0; index < pairs; index++) {
    log(`pair ${index + 1} of ${pairs}`);
    const first = await figuresOf(order, index % 2 === 0 ? startService : startOther);
    const second = await figuresOf(order, index % 2 === 0 ? startOther : startService);
    measured.push(index % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first });
  }
  const ofLoad = (index: number, figure: 'cpuPerToken' | 'runsPerSecond') => (it: Figures) =>
    it.loads[index]?.[figure] ?? Number.NaN;
  const named = loads.map(({ clients, tokens, padding }, index) => {
    return { name: `${clients} x ${tokens} ${padding}`, index };
  });
  const cpu = named.map(({ name, index }) =>
    ratiosOf(`${name}: CPU us/token`, measured, ofLoad(index, 'cpuPerToken')),
  );
  const speed = named.map(({ name, index }) =>
    ratiosOf(`${name}: runs/s`, measured, ofLoad(index, 'runsPerSecond')),
  );
  const rows = [
    ratiosOf('start, ms', measured, (it) => it.startMilliseconds),
    ratiosOf('idle memory, MB', measured, (it) => it.idleMegabytes),
    ...cpu,
    ...speed,
  ];
  const worse = [
    ...cpu.filter(({ ratios }) => quantile(ratios, 50) > 1 + MOST_WORSE),
    ...speed.filter(({ ratios }) => quantile(ratios, 50) < 1 - MOST_WORSE),
  ];
  const page = table(
    ['figure', 'this version', 'the other', 'ratio, lower quartile', 'median', 'upper quartile'],
    rows.map(({ figure, ours, theirs, ratios }) => [
      figure,
      number(ours),
      number(theirs),
      ...[25, 50, 75].map((percent) => quantile(ratios, percent).toFixed(3)),
    ]),
  );
  return { page, worse: worse.map(({ figure }) => figure) };
}

/** Each version is started by its own bench, with the configuration that it knows. */
async function otherStart(folder: string): Promise<Start> {
  const module: unknown = await import(pathToFileURL(`${folder}/bench/service.ts`).href);
  if (typeof module !== 'object' || module === null || !('startService' in module)) {
    throw new Error(`${folder} has no bench/service.ts that starts a service.`);
  }
  return module.startService as Start;
}

async function figuresOf({ modelPort, loads, idleMilliseconds }: Order, start: Start): Promise<Figures> {
  const service = await start(modelPort);
  try {
    await new Promise((resolve) => setTimeout(resolve, idleMilliseconds));
    const idleMegabytes = residentMegabytes(service.pid);
    for (const load of WARM_UP) await measure(service, load);
    const measurements: Measurement[] = [];
    for (const load of loads) measurements.push(await measure(service, load));
    return { startMilliseconds: service.startMilliseconds, idleMegabytes, loads: measurements };
  } finally {
    await service.end();
  }
}

interface Pair {
  readonly ours: Figures;
  readonly theirs: Figures;
}

function ratiosOf(figure: string, measured: readonly Pair[], value: (figures: Figures) => number): Ratios {
  return {
    figure,
    ours: quantile(
      measured.map((it) => value(it.ours)),
      50,
    ),
    theirs: quantile(
      measured.map((it) => value(it.theirs)),
      50,
    ),
    ratios: measured.map((it) => value(it.ours) / value(it.theirs)),
  };
}

function quantile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(((sorted.length - 1) * percent) / 100)] ?? 0;
}

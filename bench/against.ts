// This version beside another checkout of the project, in turns on one machine: what a change costs, told apart from what else the machine does.
import { pathToFileURL } from 'node:url';
import type { Contender } from './contender.ts';
import { type Load, measure } from './load.ts';
import { residentMegabytes } from './process-usage.ts';
import { number, table } from './report-table.ts';
import { startService } from './service.ts';

interface Order {
  readonly modelPort: number;
  /** The root folder of the other checkout, installed and built. */
  readonly folder: string;
  readonly loads: readonly Load[];
  /** Pairs of measurements of each load. */
  readonly pairs: number;
  /** Milliseconds after a start until memory is read. */
  readonly idleMilliseconds: number;
  log(text: string): void;
}

type Start = (modelPort: number) => Promise<Contender & { readonly startMilliseconds: number }>;

/** Ratios of one figure, this version over the other, one for each pair. */
interface Ratios {
  readonly figure: string;
  readonly ours: number;
  readonly theirs: number;
  readonly ratios: readonly number[];
}

/**
 * A page with the ratios of CPU per token, runs per second, start and idle memory. Each pair is measured one right after the
 * other, in changing order; quartiles show how far a ratio can be trusted.
 */
export async function compareWith(order: Order): Promise<string> {
  const startOther = await otherStart(order.folder);
  const rows = [...(await starts(order, startOther)), ...(await loads(order, startOther))];
  return table(
    ['figure', 'this version', 'the other', 'ratio, lower quartile', 'median', 'upper quartile'],
    rows.map(({ figure, ours, theirs, ratios }) => [
      figure,
      number(ours),
      number(theirs),
      ...[25, 50, 75].map((percent) => quantile(ratios, percent).toFixed(3)),
    ]),
  );
}

/** Each version is started by its own bench, with the configuration that it knows. */
async function otherStart(folder: string): Promise<Start> {
  const module: unknown = await import(pathToFileURL(`${folder}/bench/service.ts`).href);
  if (typeof module !== 'object' || module === null || !('startService' in module)) {
    throw new Error(`${folder} has no bench/service.ts that starts a service.`);
  }
  return module.startService as Start;
}

async function starts({ modelPort, pairs, idleMilliseconds, log }: Order, startOther: Start) {
  const started = async (start: Start) => {
    const service = await start(modelPort);
    await new Promise((resolve) => setTimeout(resolve, idleMilliseconds));
    const figures = { milliseconds: service.startMilliseconds, megabytes: residentMegabytes(service.pid) };
    await service.end();
    return figures;
  };
  log('starts');
  const measured = await inPairs(
    Math.ceil(pairs / 2),
    () => started(startService),
    () => started(startOther),
  );
  return [
    ratiosOf('start, ms', measured, (it) => it.milliseconds),
    ratiosOf('idle memory, MB', measured, (it) => it.megabytes),
  ];
}

async function loads({ modelPort, loads, pairs, log }: Order, startOther: Start): Promise<Ratios[]> {
  const [ours, theirs] = [await startService(modelPort), await startOther(modelPort)];
  try {
    const rows: Ratios[] = [];
    for (const load of loads) {
      const name = `${load.clients} x ${load.tokens} ${load.padding}`;
      log(name);
      await measure(ours, load);
      await measure(theirs, load);
      const measured = await inPairs(
        pairs,
        () => measure(ours, load),
        () => measure(theirs, load),
      );
      rows.push(ratiosOf(`${name}: CPU us/token`, measured, (it) => it.cpuPerToken));
      rows.push(ratiosOf(`${name}: runs/s`, measured, (it) => it.runsPerSecond));
    }
    return rows;
  } finally {
    await ours.end();
    await theirs.end();
  }
}

interface Pair<Figures> {
  readonly ours: Figures;
  readonly theirs: Figures;
}

async function inPairs<Figures>(
  pairs: number,
  ours: () => Promise<Figures>,
  theirs: () => Promise<Figures>,
): Promise<readonly Pair<Figures>[]> {
  const measured: Pair<Figures>[] = [];
  for (let index = 0; index < pairs; index++) {
    if (index % 2 === 0) measured.push({ ours: await ours(), theirs: await theirs() });
    else {
      const first = await theirs();
      measured.push({ ours: await ours(), theirs: first });
    }
  }
  return measured;
}

function ratiosOf<Figures>(
  figure: string,
  measured: readonly Pair<Figures>[],
  value: (figures: Figures) => number,
): Ratios {
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

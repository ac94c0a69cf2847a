// One measurement: a contender under one load, with what its process used meanwhile.
import { startChild } from './child.ts';
import type { Contender } from './contender.ts';
import type { LoadOrder, LoadResult } from './load-client.ts';
import { cpuMicroseconds, watchMemory } from './process-usage.ts';
import type { Padding } from './scripted-answers.ts';

export interface Load {
  readonly clients: number;
  readonly tokens: number;
  readonly padding: Padding;
  readonly milliseconds: number;
  /** No more runs than this, and at least one for each client; absent: as many as there is time for. */
  readonly runs?: number;
  /** That the runs are spread over; absent: `THREADS`. */
  readonly threads?: number;
}

/** On one thread, hundreds of short runs would make the long prompts that `long-thread.ts` measures. */
const THREADS = 256;

export interface Measurement {
  readonly runs: number;
  readonly runsPerSecond: number;
  readonly tokensPerSecond: number;
  readonly cpuPerToken: number;
  /** Share of one core that the process used. */
  readonly busy: number;
  /** Milliseconds. */
  readonly firstTokenMedian: number;
  readonly firstTokenP99: number;
  readonly totalMedian: number;
  readonly peakMegabytes: number;
}

export async function measure(contender: Contender, load: Load): Promise<Measurement> {
  const { port, headers, prefix, createsThreads, pid } = contender;
  const order: LoadOrder = { port, headers, prefix, createsThreads, threads: THREADS, ...load };
  const client = startChild('load-client.ts', [JSON.stringify(order)]);
  await client.message();
  const memory = watchMemory(pid);
  const cpuBefore = cpuMicroseconds(pid);
  client.process.send({ go: true });
  const result = toResult(await client.message());
  const cpu = cpuMicroseconds(pid) - cpuBefore;
  await client.end();
  const tokens = result.runs * load.tokens;
  return {
    runs: result.runs,
    runsPerSecond: result.runs / result.seconds,
    tokensPerSecond: tokens / result.seconds,
    cpuPerToken: cpu / tokens,
    busy: cpu / 1e6 / result.seconds,
    firstTokenMedian: percentile(result.firstToken, 50),
    firstTokenP99: percentile(result.firstToken, 99),
    totalMedian: percentile(result.total, 50),
    peakMegabytes: memory.stop(),
  };
}

function toResult(message: unknown): LoadResult {
  if (typeof message === 'object' && message !== null && 'runs' in message) return message as LoadResult;
  throw new Error('The load client did not tell a result.');
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

/** Each figure's median over several measurements of the same load; the highest memory. */
export function medianOf(measurements: readonly Measurement[]): Measurement {
  const median = (figure: keyof Measurement) =>
    percentile(
      measurements.map((it) => it[figure]),
      50,
    );
  return {
    runs: measurements.reduce((sum, it) => sum + it.runs, 0),
    runsPerSecond: median('runsPerSecond'),
    tokensPerSecond: median('tokensPerSecond'),
    cpuPerToken: median('cpuPerToken'),
    busy: median('busy'),
    firstTokenMedian: median('firstTokenMedian'),
    firstTokenP99: median('firstTokenP99'),
    totalMedian: median('totalMedian'),
    peakMegabytes: Math.max(...measurements.map((it) => it.peakMegabytes)),
  };
}

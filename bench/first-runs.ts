// The cost of a run in a process that has just started, and in a warm one: most processes never get warm.
import { type Load, type Measurement, measure } from './load.ts';
import { startService } from './service.ts';

export interface FirstRunsFigures {
  readonly runs: number;
  readonly tokens: number;
  /** Milliseconds of CPU of a run, all threads of the process. */
  readonly firstMilliseconds: number;
  readonly warmMilliseconds: number;
}

const LOAD: Load = { clients: 32, tokens: 50, padding: 'padded', milliseconds: 60_000 };
const FIRST = 200;
const WARM_UP = 4_000;
const MEASURED = 2_000;

export async function measureFirstRuns(modelPort: number): Promise<FirstRunsFigures> {
  const service = await startService(modelPort);
  try {
    // One thread a client: making more would warm the process up.
    const first = await measure(service, { ...LOAD, runs: FIRST, threads: LOAD.clients });
    await measure(service, { ...LOAD, runs: WARM_UP });
    const warm = await measure(service, { ...LOAD, runs: MEASURED });
    return {
      runs: FIRST,
      tokens: LOAD.tokens,
      firstMilliseconds: cpuOfRun(first),
      warmMilliseconds: cpuOfRun(warm),
    };
  } finally {
    await service.end();
  }
}

function cpuOfRun({ cpuPerToken }: Measurement): number {
  return (cpuPerToken * LOAD.tokens) / 1_000;
}

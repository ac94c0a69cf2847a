// Many readers of runs that say nothing: what each holds, and what their heartbeats cost.
import { setTimeout as sleep } from 'node:timers/promises';
import { startChild, startServer } from './child.ts';
import type { IdleOrder } from './idle-client.ts';
import { cpuMicroseconds, residentMegabytes } from './process-usage.ts';
import { startService } from './service.ts';

export interface IdleFigures {
  readonly streams: number;
  /** Growth of the resident memory of the service by each, after it has settled. */
  readonly kilobytesPerStream: number;
  /** Share of one core. */
  readonly busy: number;
}

const RUNS = 50;

export async function measureIdleStreams(wanted: {
  readonly streams: number;
  readonly settleMs: number;
}): Promise<IdleFigures> {
  const model = await startServer('paced-model.ts');
  const service = await startService(model.port);
  const { port, headers, prefix, pid } = service;
  const order: IdleOrder = { port, headers, prefix, streams: wanted.streams, runs: RUNS };
  const client = startChild('idle-client.ts', [JSON.stringify(order)]);
  try {
    await client.message();
    await sleep(wanted.settleMs);
    const before = residentMegabytes(pid);
    client.process.send({ go: true });
    await client.message();
    await sleep(wanted.settleMs);
    const cpu = cpuMicroseconds(pid);
    const start = performance.now();
    await sleep(wanted.settleMs);
    const seconds = (performance.now() - start) / 1_000;
    return {
      streams: wanted.streams,
      kilobytesPerStream: ((residentMegabytes(pid) - before) * 1_024) / wanted.streams,
      busy: (cpuMicroseconds(pid) - cpu) / 1e6 / seconds,
    };
  } finally {
    await client.end();
    await model.child.end();
    await service.end();
  }
}

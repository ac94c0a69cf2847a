// A service that is killed while it executes runs: how soon they continue after the restart, and the cost of a thousand.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startServer } from './child.ts';
import type { HeldModelCounts, HeldModelOrder } from './held-model.ts';
import { watchMemory } from './process-usage.ts';
import { quantile, readStream, type StartedRun, startRun } from './run-client.ts';
import { type RunningService, restartService, startService } from './service.ts';

export interface RecoveryFigures {
  readonly runs: number;
  /** Milliseconds from the start of the process until the reader of a run has a new token. */
  readonly median: number;
  readonly last: number;
}

export interface RestartFigures {
  readonly runs: number;
  /** Seconds from the start of the process until the model was asked by all runs, and until all have ended. */
  /** As configured. */
  readonly resumePerSecond: number;
  readonly resumedSeconds: number;
  readonly endedSeconds: number;
  readonly mostRequestsInASecond: number;
  readonly mostRequestsOpen: number;
  readonly peakMegabytes: number;
}

/** How many runs are started at a time. */
const TOGETHER = 20;
const ANSWER_TOKENS = 100;

/** Runs that stream when the service is killed, each with a reader that comes back. */
export async function measureRecovery(runs: number): Promise<RecoveryFigures> {
  const { child: model, port } = await startServer('paced-model.ts');
  let service = await startService(port);
  try {
    const started = await startRuns(service, runs, 'paced=100000');
    const seen = await Promise.all(
      started.map((run) => readStream(service, run, { enough: ({ tokens }) => tokens >= 10 })),
    );
    await service.kill();
    const begun = performance.now();
    service = await restartService(service, port);
    const times = await Promise.all(
      started.map(async (run, index) => {
        const { readAt } = await readStream(service, run, {
          after: seen[index]?.lastId ?? '',
          enough: ({ tokens }) => tokens > 0,
        });
        return readAt - begun;
      }),
    );
    return { runs, median: quantile(times, 0.5), last: Math.max(...times) };
  } finally {
    await service.end();
    await model.end();
  }
}

/** Runs whose model says nothing; after the restart it answers each of them for ten seconds. */
export async function measureRestart(runs: number, resumePerSecond: number): Promise<RestartFigures> {
  const options = { runs: [`resume_per_second: ${resumePerSecond}`] };
  const { child: model, port } = await startServer('held-model.ts');
  let service = await startService(port, options);
  try {
    await startRuns(service, runs, 'hold on');
    await until(async () => (await countsOf(model)).open === runs);
    await service.kill();
    await until(async () => (await countsOf(model)).open === 0);
    model.process.send({ tokens: ANSWER_TOKENS } satisfies HeldModelOrder);
    const begun = performance.now();
    service = await restartService(service, port, options);
    const memory = watchMemory(service.pid);
    await until(async () => (await countsOf(model)).asked >= runs);
    const resumedSeconds = (performance.now() - begun) / 1_000;
    await until(async () => succeeded(service) === runs);
    const { mostOpen, mostInASecond } = await countsOf(model);
    return {
      runs,
      resumePerSecond,
      resumedSeconds,
      endedSeconds: (performance.now() - begun) / 1_000,
      mostRequestsInASecond: mostInASecond,
      mostRequestsOpen: mostOpen,
      peakMegabytes: memory.stop(),
    };
  } finally {
    await service.end();
    await model.end();
  }
}

/** Each on a thread of its own, and without a reader. */
export async function startRuns(
  service: RunningService,
  runs: number,
  question: string,
): Promise<readonly StartedRun[]> {
  const started: StartedRun[] = [];
  while (started.length < runs) {
    const together = Array.from({ length: Math.min(TOGETHER, runs - started.length) }, () =>
      startRun(service, question),
    );
    started.push(...(await Promise.all(together)));
  }
  return started;
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(100);
}

/** The requests that the model server of `held-model.ts` received. */
export async function countsOf(model: Child): Promise<HeldModelCounts> {
  model.process.send('count');
  const counts = await model.message();
  if (typeof counts === 'object' && counts !== null && 'mostOpen' in counts) return counts as HeldModelCounts;
  throw new Error('The model server did not tell its counts.');
}

function succeeded({ dataHome }: RunningService): number {
  const database = new DatabaseSync(join(dataHome, 'service.db'), { readOnly: true, timeout: 5_000 });
  try {
    return Number(database.prepare("select count(*) as n from runs where status = 'success'").get()?.n);
  } finally {
    database.close();
  }
}

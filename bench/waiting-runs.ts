// Runs that wait for their model without readers: the memory of each.
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './child.ts';
import type { HeldModelOrder } from './held-model.ts';
import { residentMegabytes } from './process-usage.ts';
import { countsOf, startRuns, until } from './recovery.ts';
import { startService } from './service.ts';

export interface WaitingFigures {
  readonly runs: number;
  /** Growth of the resident memory of the service by each, after it has settled. */
  readonly kilobytesPerRun: number;
  /** The same of what lives after a collection: resident memory follows it only roughly. */
  readonly liveKilobytesPerRun: number;
}

/** Runs that end before: what the process takes once is not counted as theirs. */
const WARM_UP = 500;

export async function measureWaitingRuns(wanted: {
  readonly runs: number;
  readonly settleMs: number;
}): Promise<WaitingFigures> {
  const { child: model, port } = await startServer('held-model.ts');
  const service = await startService(port, { tellsLiveMemory: true });
  const isOpen = (runs: number) => until(async () => (await countsOf(model)).open === runs);
  try {
    model.process.send({ tokens: 1 } satisfies HeldModelOrder);
    await startRuns(service, WARM_UP, 'a word');
    await isOpen(0);
    model.process.send({ tokens: undefined } satisfies HeldModelOrder);
    await sleep(wanted.settleMs);
    const before = residentMegabytes(service.pid);
    await startRuns(service, wanted.runs, 'hold on');
    await isOpen(wanted.runs);
    await sleep(wanted.settleMs);
    const grown = residentMegabytes(service.pid) - before;
    // Of as many again: a collection before the first ones would leave them memory that is resident already.
    const liveBefore = await service.liveBytes();
    await startRuns(service, wanted.runs, 'hold on');
    await isOpen(wanted.runs * 2);
    const liveGrown = (await service.liveBytes()) - liveBefore;
    return {
      runs: wanted.runs,
      kilobytesPerRun: (grown * 1_024) / wanted.runs,
      liveKilobytesPerRun: liveGrown / 1_024 / wanted.runs,
    };
  } finally {
    await service.end();
    await model.end();
  }
}

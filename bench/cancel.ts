// Cancelling: from the request until the stream of the run has its end.
import { startServer } from './child.ts';
import { post, quantile, readStream, startRun } from './run-client.ts';
import { type RunningService, startService } from './service.ts';

export interface CancelFigures {
  readonly cancels: number;
  /** Milliseconds; of runs that stream, and of runs whose model says nothing. */
  readonly streamingMedian: number;
  readonly streamingP99: number;
  readonly silentMedian: number;
  readonly silentP99: number;
}

/** Runs that are cancelled at about the same time. */
const TOGETHER = 20;

/** `cancels` of either kind. */
export async function measureCancel(cancels: number): Promise<CancelFigures> {
  const { child: model, port } = await startServer('paced-model.ts');
  const service = await startService(port);
  try {
    const streaming = await cancelAll(service, { cancels, question: 'paced=100000', after: 5 });
    const silent = await cancelAll(service, { cancels, question: 'say nothing', after: 1 });
    return {
      cancels,
      streamingMedian: quantile(streaming, 0.5),
      streamingP99: quantile(streaming, 0.99),
      silentMedian: quantile(silent, 0.5),
      silentP99: quantile(silent, 0.99),
    };
  } finally {
    await service.end();
    await model.end();
  }
}

interface Cancels {
  readonly cancels: number;
  readonly question: string;
  /** A run is cancelled when its reader has seen so many frames. */
  readonly after: number;
}

async function cancelAll(service: RunningService, order: Cancels): Promise<readonly number[]> {
  const times: number[] = [];
  for (let done = 0; done < order.cancels; done += TOGETHER) {
    const together = Array.from({ length: Math.min(TOGETHER, order.cancels - done) }, () =>
      cancelOne(service, order),
    );
    times.push(...(await Promise.all(together)));
  }
  return times;
}

async function cancelOne(service: RunningService, { question, after }: Cancels): Promise<number> {
  const run = await startRun(service, question);
  let asked = 0;
  let answered: Promise<unknown> | undefined;
  const { readAt } = await readStream(service, run, {
    enough: ({ frames }) => {
      if (answered === undefined && frames >= after) {
        asked = performance.now();
        answered = post(service, `${run.path}/cancel`, {});
      }
      return false;
    },
  });
  await answered;
  if (asked === 0) throw new Error('A run ended before it was cancelled.');
  return readAt - asked;
}

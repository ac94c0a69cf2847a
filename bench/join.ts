// Joining a long run: from the request to the last frame that the run has so far.
import { startServer } from './child.ts';
import { quantile, type ReadStream, readStream, startRun } from './run-client.ts';
import { restartService, startService } from './service.ts';

export interface JoinFigures {
  /** Tokens, each a frame; and the events of the log that hold them, with whatever else the run said. */
  readonly events: number;
  readonly logged: number;
  /** Milliseconds. By the first reader after a start of the service, and by later ones. */
  readonly endedFirst: number;
  readonly endedAgain: number;
  readonly runningFirst: number;
  readonly runningAgain: number;
}

const STARTS = 3;
const AGAIN = 9;
/** The last events of a silent answer, up to so many, are not sent. */
const LAST_WRITE = 8;

export async function measureJoin(events: number): Promise<JoinFigures> {
  const { child: model, port } = await startServer('model-server.ts');
  let service = await startService(port);
  try {
    const ended = await startRun(service, `padded=${events} slow`);
    const { lastId } = await readStream(service, ended);
    const logged = Number.parseInt(lastId, 10);
    const toTheEnd = () =>
      joinMilliseconds(async () => {
        const read = await readStream(service, ended);
        if (read.tokens !== events) throw new Error(`The run has ${read.tokens} tokens for ${events}.`);
        return read;
      });
    const firsts: number[] = [];
    for (let start = 0; start < STARTS; start++) {
      await service.stop();
      service = await restartService(service, port);
      firsts.push(await toTheEnd());
    }
    const endedFirst = quantile(firsts, 0.5);
    const endedAgain = await several(toTheEnd);
    const running = await startRun(service, `padded=${events + LAST_WRITE} slow silent`);
    const isComplete = (read: ReadStream) => read.tokens >= events;
    await readStream(service, running, { enough: isComplete });
    const toTheTail = () => joinMilliseconds(() => readStream(service, running, { enough: isComplete }));
    const runningFirst = await toTheTail();
    return { events, logged, endedFirst, endedAgain, runningFirst, runningAgain: await several(toTheTail) };
  } finally {
    await service.end();
    await model.end();
  }
}

async function joinMilliseconds(join: () => Promise<ReadStream>): Promise<number> {
  const start = performance.now();
  const { readAt } = await join();
  return readAt - start;
}

async function several(measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let round = 0; round < AGAIN; round++) values.push(await measure());
  return quantile(values, 0.5);
}

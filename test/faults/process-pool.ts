// Several services that are killed concurrently, each by one conversation after another.
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import { scriptedAnswer } from './scripted-answers.ts';
import { createStubbornClient, type StubbornClient } from './stubborn-client.ts';

interface Place {
  readonly process: CrashingProcess;
  readonly client: StubbornClient;
}

export interface ProcessPool {
  /** Does the work with a service that no other caller uses at the same time. */
  use<T>(work: (place: Place) => Promise<T>): Promise<T>;
  readonly model: ModelServer;
  close(): Promise<void>;
}

/** `config`: keys of the configuration file. */
export async function openProcessPool(
  size: number,
  config: Record<string, unknown> = {},
): Promise<ProcessPool> {
  const model = await startModelServer();
  model.onRequest(scriptedAnswer);
  const places = await Promise.all(
    Array.from({ length: size }, async (): Promise<Place> => {
      const process = await startCrashingProcess({ modelUrl: model.url, config });
      return { process, client: await createStubbornClient(process) };
    }),
  );
  const free = [...places];
  const waiting: ((place: Place) => void)[] = [];
  return {
    model,
    async use(work) {
      const place = free.pop() ?? (await new Promise<Place>((resolve) => waiting.push(resolve)));
      try {
        return await work(place);
      } finally {
        const next = waiting.shift();
        if (next === undefined) free.push(place);
        else next(place);
      }
    },
    async close() {
      await Promise.all(places.map(({ process }) => process.remove()));
      await model.close();
    },
  };
}

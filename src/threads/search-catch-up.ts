// Indexes what was said before there was an index, beside the work of the service.
import type { Log } from '../log.ts';
import type { SearchIndex } from '../storage/message-search.ts';

export interface SearchCatchUp {
  /** Goes on until nothing waits, and looks again now and then; what fails is logged and tried again. */
  start(): void;
  /** Resolves when nothing is being indexed any more. What is left goes on at the next start. */
  stop(): Promise<void>;
}

interface SearchCatchUpParts {
  readonly index: Pick<SearchIndex, 'catchUp'>;
  readonly log: Log;
}

const INTERVAL_MS = 15_000;

export function createSearchCatchUp({ index, log }: SearchCatchUpParts): SearchCatchUp {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let working: Promise<void> | undefined;

  const work = async (): Promise<void> => {
    while (!stopped) {
      const begun = performance.now();
      if (!(await index.catchUp())) return;
      // Half of the time is everybody else's.
      const took = performance.now() - begun;
      await new Promise((resolve) => setTimeout(resolve, took));
    }
  };
  const workQuietly = (): void => {
    working ??= work()
      .catch((err: unknown) => log.warn({ err }, 'the search index could not catch up; trying again later'))
      .finally(() => {
        working = undefined;
      });
  };
  return {
    start() {
      workQuietly();
      timer = setInterval(workQuietly, INTERVAL_MS);
      timer.unref();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await working;
    },
  };
}

// Loaded into a service before its own code: tells what lives in its memory after a collection, whenever it is asked.
import { isMainThread } from 'node:worker_threads';
import { tellParent } from './child.ts';

/** What the parent sends. */
export const ASK = 'live memory';

/** Bytes. */
export interface LiveMemory {
  readonly liveBytes: number;
}

/** Arguments of a Node that is to tell it. */
export function tellingLiveMemory(): string[] {
  return ['--expose-gc', '--import', import.meta.url];
}

const collect = globalThis.gc;
if (collect !== undefined && isMainThread && process.channel !== undefined) {
  process.on('message', (message) => {
    if (message !== ASK) return;
    // What the first one lets go of may hold more.
    for (let times = 0; times < 3; times++) collect();
    const { heapUsed, external } = process.memoryUsage();
    tellParent({ liveBytes: heapUsed + external } satisfies LiveMemory);
  });
  // Who listens must not keep the process from its end.
  process.channel.unref();
}

// Compares what a service has stored with its record.
import type { Difference } from '../../src/storage/projections.ts';
import type { Storage } from '../../src/storage/storage.ts';

/** Returns all differences in threads without active runs. */
export async function differencesIn(
  { projections }: Storage,
  repair = false,
): Promise<readonly Difference[]> {
  const options = { repair, busyThreads: 'skip' } as const;
  const differences: Difference[] = [];
  for (const threadId of await projections.threadIds(null, 10_000)) {
    const verdict = await projections.verifyThread(threadId, options);
    if (verdict.kind === 'verified') differences.push(...verdict.differences);
  }
  for await (const difference of projections.verifyRest(options)) differences.push(difference);
  return differences;
}

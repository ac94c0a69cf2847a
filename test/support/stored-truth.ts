// What a service left behind, compared with its record.
import type { Difference } from '../../src/storage/projections.ts';
import type { Storage } from '../../src/storage/storage.ts';

/** Everything that differs, in threads where nothing runs any more. */
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

// Remembers, where the stream hook looks for it, which run of a thread is going on.
import type { Api } from '../api/api.ts';
import type { Run } from '../api/shapes.ts';

const ACTIVE = ['pending', 'running'];

function keyOf(threadId: string): string {
  return `lg:stream:${threadId}`;
}

/**
 * Asks for the newest run of the thread; a running one is joined when the thread opens, also in a tab that did not
 * start it. Never throws: a thread without this knowledge still opens.
 */
export async function rememberRunningRun(api: Api, threadId: string): Promise<Run | undefined> {
  const run = await api.latestRun(threadId).catch(() => undefined);
  if (run === undefined) return undefined;
  if (ACTIVE.includes(run.status)) sessionStorage.setItem(keyOf(threadId), run.run_id);
  else sessionStorage.removeItem(keyOf(threadId));
  return run;
}

export function rememberedRunId(threadId: string): string | undefined {
  return sessionStorage.getItem(keyOf(threadId)) ?? undefined;
}

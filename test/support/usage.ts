// The usage of runs, as tests read it.
import type { HttpClient } from './http-client.ts';
import { jsonOf, type RunJson } from './json-of.ts';
import type { TestService } from './service.ts';

/** With a decimal that a float cannot hold. */
export const PRICE = {
  input_per_million: 2,
  output_per_million: 10,
  cached_input_per_million: 0.2,
  currency: 'USD',
};

async function runsOf(client: HttpClient, threadId: string): Promise<readonly RunJson[]> {
  return jsonOf<RunJson[]>(client.get(`/api/threads/${threadId}/runs?limit=10`));
}

export async function lastRun(client: HttpClient, threadId: string): Promise<RunJson> {
  const [run] = await runsOf(client, threadId);
  if (run === undefined) throw new Error('The thread has no run.');
  return run;
}

export function tokenUsage(client: HttpClient, threadId: string): Promise<Record<string, unknown>> {
  return jsonOf(client.get(`/api/threads/${threadId}/token-usage`));
}

interface UsageJson {
  readonly from: string;
  readonly to: string;
  readonly total: Readonly<Record<string, unknown>>;
  readonly by_model: Readonly<Record<string, unknown>>;
  readonly days: readonly { readonly date: string; readonly tokens: number }[];
}

export function usageDays(client: HttpClient, query = ''): Promise<UsageJson> {
  return jsonOf<UsageJson>(client.get(`/api/usage${query}`));
}

/** Returns the events of these types in the record of the thread. */
export async function recorded(
  test: TestService,
  client: HttpClient,
  of: { threadId: string; types: string[] },
) {
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  const { runEvents } = test.service.storage.as(id);
  const query = { eventTypes: of.types, cursor: { kind: 'newest' }, limit: 500 } as const;
  return (await runEvents.list(of.threadId, query)).events;
}

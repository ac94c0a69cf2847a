// Connections to the database that break (fault.F19).
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { question } from '../support/service.ts';
import { openThroughProxy } from './through-proxy.ts';

describe('connections that break', () => {
  const ROUNDS = 6;

  /** Uses a thread in every way that a client can; returns its final texts. */
  async function conversation(client: HttpClient, before: () => void): Promise<readonly unknown[]> {
    const done = async (request: () => Promise<Response>): Promise<unknown> => {
      before();
      const response = await request();
      expect(response.status).toBeLessThan(300);
      return response.status === 204 ? undefined : response.json();
    };
    const { thread_id: threadId } = (await done(() => client.post('/api/graph/threads', {}))) as RunJson;
    const path = `/api/graph/threads/${threadId}`;
    for (const text of ['one', 'two']) await done(() => client.post(`${path}/runs/wait`, question(text)));
    await done(() => client.patch(path, { metadata: { a: 1 } }));
    const copy = (await done(() => client.post(`${path}/copy`))) as RunJson;
    await done(() => client.get(`${path}/runs?limit=5`));
    await done(() => client.delete(path));
    const state = (await done(() => client.get(`/api/graph/threads/${copy.thread_id}/state`))) as StateJson;
    return state.values.messages.map(({ content }) => content);
  }

  it('[fault.F19] at a commit or its response, at any request: each is done once', async ({
    onTestFinished,
  }) => {
    const { test, proxy } = await openThroughProxy(onTestFinished);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const client = await test.user();
    for (let round = 0; round < ROUNDS; round++) {
      const loss = round % 2 === 0 ? 'commit' : 'answer to commit';
      expect(await conversation(client, () => proxy.lose(loss))).toEqual(['one', 're one', 'two', 're two']);
    }
    expect(proxy.losses()).toBeGreaterThan(4 * ROUNDS);
    const threads = await jsonOf<unknown[]>(client.post('/api/graph/threads/search', { limit: 100 }));
    expect(threads).toHaveLength(ROUNDS);
  });

  it('[fault.F19] because the server ends them repeatedly: no request fails', async ({ onTestFinished }) => {
    const { test, url } = await openThroughProxy(onTestFinished);
    test.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
    const client = await test.user();
    const killer = new pg.Client({ connectionString: url });
    await killer.connect();
    let killed = 0;
    const end = async (): Promise<void> => {
      const { rowCount } = await killer.query(END_ALL);
      killed += rowCount ?? 0;
    };
    // At most one per request, because requests that take longer than the interval would never finish.
    let endsLeft = 0;
    const ending = setInterval(() => void (endsLeft-- > 0 && end()), 50);
    for (let round = 0; round < ROUNDS; round++) {
      const said = await conversation(client, () => (endsLeft = 1));
      expect(said).toEqual(['one', 're one', 'two', 're two']);
    }
    clearInterval(ending);
    await end();
    await killer.end();
    expect(killed).toBeGreaterThan(ROUNDS);
  });
});

const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

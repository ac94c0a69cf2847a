// What a neighbour's work makes a stream wait for: `node bench/neighbours.ts [database url]`, on SQLite without one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillThread, neighbourlyAnswer, type WatchedStream, watchStream } from '../test/faults/neighbour.ts';
import { newThread, openTestService, question, streamed } from '../test/support/service.ts';

const TURNS = 1_000;
const REMOVED = 200;
const QUIET_MS = 1_000;

const [url] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'neighbours-'));
const test = await openTestService({
  config: { database: { url: url ?? `sqlite:${join(folder, 'service.db')}` } },
});

try {
  test.model.onRequest(neighbourlyAnswer);
  const client = await test.user();
  const threadId = await newThread(client);
  const { checkpoints, messages } = await fillThread(client, threadId, { turns: TURNS, ofTurn: 5 });
  const path = `/api/graph/threads/${threadId}`;
  const watched = await watchStream(await test.user());
  const removed = messages.slice(0, REMOVED).map((id) => ({ type: 'remove', id }));
  await measured(watched, 'nothing', () => sleep(QUIET_MS));
  await measured(watched, `${REMOVED} of ${messages.length} messages removed`, () =>
    answered(client.post(`${path}/state`, { values: { messages: removed } })),
  );
  await measured(watched, `a branch at the first of ${TURNS} turns`, () =>
    streamed(client, threadId, question('hi', { checkpoint_id: checkpoints[0] })),
  );
  await measured(watched, 'the state is read', () => answered(client.get(`${path}/state`)));
  await measured(watched, 'the thread is deleted', () => answered(client.delete(path)));
  await measured(watched, 'its rows go', () => sleep(QUIET_MS));
  await watched.stop();
} finally {
  await test.close();
  rmSync(folder, { recursive: true });
}

async function answered(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.text();
}

async function measured(watched: WatchedStream, what: string, work: () => Promise<unknown>): Promise<void> {
  await watched.since();
  const began = performance.now();
  await work();
  const took = performance.now() - began;
  const { longest, longestWork, tokens } = await watched.since();
  const figures = `between two tokens ${longest.toFixed(0)} ms at most, ${longestWork.toFixed(0)} ms of CPU`;
  process.stdout.write(`${what.padEnd(44)} ${took.toFixed(0)} ms; ${tokens} tokens; ${figures}\n`);
}

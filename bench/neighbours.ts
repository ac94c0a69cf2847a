// How long a neighbour's work delays a stream: `node bench/neighbours.ts [database url]`, on SQLite without one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillThread, neighbourlyAnswer, type WatchedStream, watchStream } from '../test/faults/neighbour.ts';
import type { HttpClient } from '../test/support/http-client.ts';
import { jsonOf } from '../test/support/json-of.ts';
import { answer } from '../test/support/model-server/answer.ts';
import { step } from '../test/support/model-server/step.ts';
import { newThread, openTestService, question, streamed } from '../test/support/service.ts';
import { emptyQueue, fillQueue } from './queued-runs.ts';
import { quantile } from './run-client.ts';

const TURNS = 1_000;
const REMOVED = 200;
const QUIET_MS = 1_000;
const QUEUED = 50_000;
const PER_USER = 4;
const SHORT_RUNS = 40;
const UNANSWERED = 'wait';

const [given] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'neighbours-'));
const url = given ?? `sqlite:${join(folder, 'service.db')}`;
const test = await openTestService({ config: { database: { url }, runs: { per_user: PER_USER } } });
const answered = Promise.withResolvers<void>();

try {
  test.model.onRequest((request) =>
    request.lastUserText === UNANSWERED
      ? answer.script(step.until(answered.promise), step.text('at last'), step.finish(), step.done())
      : neighbourlyAnswer(request),
  );
  const client = await test.user();
  const threadId = await newThread(client);
  const { checkpoints, messages } = await fillThread(client, threadId, { turns: TURNS, ofTurn: 5 });
  const path = `/api/graph/threads/${threadId}`;
  const watched = await watchStream(await test.user());
  const removed = messages.slice(0, REMOVED).map((id) => ({ type: 'remove', id }));
  await measured(watched, 'nothing', () => sleep(QUIET_MS));
  await measured(watched, `${REMOVED} of ${messages.length} messages removed`, () =>
    read(client.post(`${path}/state`, { values: { messages: removed } })),
  );
  await measured(watched, `a branch at the first of ${TURNS} turns`, () =>
    streamed(client, threadId, question('hi', { checkpoint_id: checkpoints[0] })),
  );
  await measured(watched, 'the state is read', () => read(client.get(`${path}/state`)));
  await measured(watched, 'the thread is deleted', () => read(client.delete(path)));
  await measured(watched, 'its rows go', () => sleep(QUIET_MS));
  const other = await test.user();
  await shortRuns(other);
  const { id: userId } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  await measured(watched, `${SHORT_RUNS} runs of somebody else`, () => shortRuns(other));
  for (let n = 0; n < PER_USER; n += 1) await begun(client);
  await fillQueue(url, { userId, runs: QUEUED, threadId: "'queued-' || n" });
  await measured(watched, `the same beside ${QUEUED} runs that wait`, () => shortRuns(other));
  await emptyQueue(url, userId);
  answered.resolve();
  await watched.stop();
} finally {
  await test.close();
  rmSync(folder, { recursive: true });
}

/** A run that continues until the end. */
async function begun(client: HttpClient): Promise<void> {
  const path = `/api/graph/threads/${await newThread(client)}/runs`;
  await read(client.post(path, question(UNANSWERED)));
}

/** Runs one after another, each on a thread of its own; how long they took. */
async function shortRuns(client: HttpClient): Promise<string> {
  const times: number[] = [];
  for (let n = 0; n < SHORT_RUNS; n += 1) {
    const threadId = await newThread(client);
    const began = performance.now();
    await streamed(client, threadId, question('hi'));
    times.push(performance.now() - began);
  }
  const [half = 0, most = 0] = [0.5, 0.95].map((share) =>
    quantile(
      times.toSorted((a, b) => a - b),
      share,
    ),
  );
  return `${half.toFixed(1)} ms a run, 95 %: ${most.toFixed(1)} ms`;
}

async function read(request: Promise<Response>): Promise<void> {
  const response = await request;
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  await response.text();
}

async function measured(watched: WatchedStream, what: string, work: () => Promise<unknown>): Promise<void> {
  await watched.since();
  const began = performance.now();
  const said = await work();
  const took = performance.now() - began;
  const { longest, longestWork, tokens } = await watched.since();
  const figures = `between two tokens ${longest.toFixed(0)} ms at most, ${longestWork.toFixed(0)} ms of CPU`;
  const runs = typeof said === 'string' ? `; ${said}` : '';
  process.stdout.write(`${what.padEnd(44)} ${took.toFixed(0)} ms; ${tokens} tokens; ${figures}${runs}\n`);
}

// Cancelling a run at the moment when it ends by itself (fault.F42).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Model, ModelPart, ModelRequest } from '../../src/models/model.ts';
import { createRandom } from '../simulation/random.ts';
import { amount } from '../support/amount.ts';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { allFrames } from '../support/sse.ts';
import { brokenInvariants } from './invariants.ts';
import { readThread } from './thread-evidence.ts';

const RACES = amount(150, 1_000);
/** How many races run concurrently, which also spreads the moments. */
const AT_ONCE = 10;
/**
 * How many turns of the event loop the last word of the model may be before or after the moment at which both win
 * equally often.
 */
const MAX_LEAD = 5;
const USAGE = { input_tokens: 7, output_tokens: 3, total_tokens: 10 };

/** Replies with one word immediately, and with the other one when the test releases it. */
function createRacingModel() {
  const asked = new Map<string, PromiseWithResolvers<void>>();
  const released = new Map<string, PromiseWithResolvers<void>>();
  const at = (gates: typeof asked, name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  async function* stream({ messages, signal }: ModelRequest): AsyncGenerator<ModelPart, void, void> {
    const name = String(messages.at(-1)?.content);
    yield { type: 'text_delta', text: 'whole ' };
    at(asked, name).resolve();
    await at(released, name).promise;
    signal.throwIfAborted();
    yield { type: 'text_delta', text: 'answer' };
    yield { type: 'finish', finishReason: 'stop', toolCalls: [], usage: USAGE, providerMetadata: undefined };
  }
  const model: Model = {
    info: {
      name: 'racing',
      displayName: 'Racing',
      description: undefined,
      model: 'racing',
      provider: 'racing',
      supportsThinking: false,
      supportsVision: false,
      contextWindow: 100_000,
    },
    stream,
  };
  return {
    model,
    asked: (name: string) => at(asked, name).promise,
    release: (name: string) => at(released, name).resolve(),
  };
}

const racing = createRacingModel();
let folder: string;
let database: string;
let test: TestService;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'races-'));
  database = join(folder, 'service.db');
  test = await openTestService({
    models: [racing.model],
    config: { database: { url: `sqlite:${database}` } },
  });
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Races once; returns the winner, on which everything stored and sent must agree. */
async function race(client: HttpClient, name: string, lead: number): Promise<'success' | 'interrupted'> {
  const threadId = await newThread(client);
  const thread = `/api/graph/threads/${threadId}`;
  const body = question(name, { stream_mode: MODES });
  const created = await jsonOf<RunJson>(client.post(`${thread}/runs`, body));
  const path = `${thread}/runs/${created.run_id}`;
  const received = client.get(`${path}/stream`).then(allFrames);
  await racing.asked(name);
  if (lead > 0) racing.release(name);
  await turns(lead);
  const cancelled = client.post(`${path}/cancel?wait=1`);
  await turns(-lead);
  racing.release(name);
  expect((await cancelled).status).toBe(204);
  // A client that has waited for the end can read it.
  const run = await jsonOf<RunJson>(client.get(path));
  expect([
    ['success', 'completed'],
    ['interrupted', 'interrupted_by_user'],
  ]).toContainEqual([run.status, run.stop_reason]);
  const won = run.status === 'success';
  const frames = await received;
  const { values } = await jsonOf<StateJson>(client.get(`${thread}/state`));
  const answer = values.messages.at(-1);
  expect(answer?.type).toBe('ai');
  expect(won ? ['whole answer'] : ['whole ', 'whole answer']).toContain(answer?.content);
  const { status } = await jsonOf<{ status: string }>(client.get(thread));
  expect(status).toBe(won ? 'idle' : 'interrupted');
  expect((await client.post(`${path}/cancel?wait=1&action=rollback`)).status).toBe(204);
  expect(await jsonOf<RunJson>(client.get(path))).toEqual(run);
  const replayed = await allFrames(await client.get(`${path}/stream`));
  const reader = { runId: created.run_id, received: frames, replayed };
  expect(brokenInvariants(readThread(database, threadId), [reader], []), name).toEqual([]);
  return won ? 'success' : 'interrupted';
}

it('[fault.F42] cancelling against completion: one end each time, and everything agrees on it', async () => {
  const random = createRandom(42);
  const clients = await Promise.all(Array.from({ length: AT_ONCE }, () => test.user()));
  const outcomes: string[] = [];

  let next = 0;
  // Follows the machine: whoever lost more often gets a longer lead, so the races stay close.
  let handicap = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (next < RACES) {
        const lead = handicap + random.below(2 * MAX_LEAD + 1) - MAX_LEAD;
        const outcome = await race(client, `race ${next++}`, lead);
        handicap += outcome === 'success' ? -1 : 1;
        outcomes.push(outcome);
      }
    }),
  );
  expect(outcomes).toHaveLength(RACES);
  const completed = outcomes.filter((it) => it === 'success').length;
  // A race needs a chance for both.
  expect(Math.min(completed, RACES - completed)).toBeGreaterThan(RACES / 20);
});

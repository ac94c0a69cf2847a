// Many concurrent runs when the service is stopped, and kills at any moment (fault.F04, F15).

import { afterEach, describe, expect, it } from 'vitest';
import { createRandom } from '../simulation/random.ts';
import { amount } from '../support/amount.ts';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { ownTime } from '../support/own-time.ts';
import { MODES } from '../support/run-stream.ts';
import { question } from '../support/service.ts';
import { converse } from './conversation.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import { receive } from './fault-service.ts';
import { killedInMidStream } from './mid-stream-kills.ts';
import { scriptedAnswer } from './scripted-answers.ts';
import { createStubbornClient } from './stubborn-client.ts';

let model: ModelServer;
let process: CrashingProcess;
afterEach(async () => {
  await process.remove();
  await model.close();
});

function isReady(url: string): Promise<boolean> {
  const ready = fetch(`${url}/health/ready`, { headers: { connection: 'close' } });
  return ready.then(
    ({ ok }) => ok,
    () => false,
  );
}

describe('kill -9', () => {
  it('[fault.F04] during a hundred replies, each at another position: none loses or doubles anything', {
    timeout: 150_000,
  }, async () => {
    const OFFSETS = 100;
    model = await startModelServer();
    model.onRequest(scriptedAnswer);
    process = await startCrashingProcess({ modelUrl: model.url });
    const client = await createStubbornClient(process);
    const random = createRandom(100);
    const offsets: number[] = [];
    for (let round = 0; round < 25 && offsets.length < OFFSETS; round++) {
      const killed = await killedInMidStream(process, client, random);
      expect(killed.broken).toEqual([]);
      offsets.push(...killed.offsets);
    }
    expect(offsets.length).toBeGreaterThanOrEqual(OFFSETS);
    expect(new Set(offsets).size).toBeGreaterThan(20);
  });

  it('[fault.F04] at random moments: everything shown is there, nothing is lost or doubled', async () => {
    model = await startModelServer();
    model.onRequest(scriptedAnswer);
    process = await startCrashingProcess({ modelUrl: model.url });
    const client = await createStubbornClient(process);
    const random = createRandom(4);
    const ROUNDS = amount(3, 6);
    for (let round = 0; round < ROUNDS; round++) {
      await process.up();
      const delay = random.below(150);
      const killed = new Promise((resolve) => setTimeout(resolve, delay)).then(() =>
        process.signal('SIGKILL'),
      );
      expect((await converse(process, client)).broken, `after ${delay} ms`).toEqual([]);
      await killed;
    }
    await expect.poll(() => process.deaths()).toBe(ROUNDS);
  });
});

describe('SIGTERM', () => {
  const RUNS = 50;

  it('[fault.F15] with 50 active runs: all are handed over without a lost attempt, and none fails', async () => {
    model = await startModelServer();
    model.onRequest(() => answer.script(step.text('half '), step.hang()));
    process = await startCrashingProcess({ modelUrl: model.url, config: { runs: { drain_ms: 300 } } });
    const client = await createStubbornClient(process);
    const body = question('hi', { stream_mode: MODES });
    const runs = await Promise.all(
      Array.from({ length: RUNS }, async () => {
        const threadId = await client.newThread();
        const path = `/api/graph/threads/${threadId}/runs`;
        const { run_id } = await jsonOf<RunJson>(client.http.post(path, body));
        return { threadId, runId: run_id };
      }),
    );
    await model.requested(RUNS);
    const [first] = runs;
    const seen = await receive(
      await client.http.get(`/api/graph/threads/${first?.threadId}/runs/${first?.runId}/stream`),
      (frames) => frames.length > 1,
    );
    const url = await process.up();
    const took = ownTime();
    const stopped = process.stop();
    // From now on the service refuses new runs, or connections.
    await expect.poll(() => isReady(url), { interval: 10 }).toBe(false);
    const accepted = fetch(`${url}/api/graph/runs`, { method: 'POST', headers: { connection: 'close' } });
    expect(await accepted.then(({ ok }) => ok).catch(() => false)).toBe(false);
    expect(await stopped).toBe(0);
    expect(took()).toBeLessThan(20_000);
    model.onRequest(() => answer.text('whole'));
    process.start();
    for (const { threadId, runId } of runs) {
      const frames = await client.follow(threadId, runId, runId === first?.runId ? seen : []);
      expect(frames.filter(({ event }) => event === 'error' || event === 'end')).toHaveLength(1);
      const run = await jsonOf<RunJson>(client.http.get(`/api/graph/threads/${threadId}/runs/${runId}`));
      expect(run).toMatchObject({ status: 'success', attempt: 1 });
    }
  });
});

// A restart with many running runs resumes them one after the other (fault.F16).
import { afterEach, describe, expect, it } from 'vitest';
import { jsonOf, type RunJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, question } from '../support/service.ts';
import { type FaultService, receive, startFaultService } from './fault-service.ts';

const RUNS = 40;
const RESUMED_PER_SECOND = 10;

let service: FaultService;
afterEach(() => service.remove());

/** Starts a run without a reader; returns its path. */
async function begin(text: string): Promise<string> {
  const path = `/api/graph/threads/${await newThread(service.client)}/runs`;
  const run = await jsonOf<RunJson>(service.client.post(path, question(text)));
  return `${path}/${run.run_id}`;
}

/**
 * Returns when the run last called its model, by the clock of the service, since this process may learn of it
 * late.
 */
async function lastAskedAt(path: string): Promise<number> {
  const events = service.client.get(`${path.replace('/graph', '')}/events?event_types=llm_request`);
  const last = (await jsonOf<{ created_at: string }[]>(events)).at(-1);
  if (last === undefined) throw new Error('It was never asked.');
  return Date.parse(last.created_at);
}

describe('kill -9 with many running runs', () => {
  it('[fault.F16] all are resumed, at a pace that the provider tolerates; new runs need not wait for them', async () => {
    service = await startFaultService({ runs: { resume_per_second: RESUMED_PER_SECOND } });
    const { model, process, client } = service;
    model.onRequest(() => answer.hangMidStream('lost'));
    const paths = await Promise.all(Array.from({ length: RUNS }, (_, n) => begin(`old ${n}`)));
    await model.requested(RUNS);
    await process.kill();

    const asked: string[] = [];
    const allAsked = Promise.withResolvers<void>();
    model.onRequest(({ lastUserText: text }) => {
      asked.push(text);
      if (asked.length === RUNS + 1) allAsked.resolve();
      // A run that ends frees its place, so none ends before the last one is there.
      return answer.script(step.until(allAsked.promise), step.text('found'), step.finish(), step.done());
    });
    await process.restart();
    const fresh = await begin('new');
    await allAsked.promise;

    // Waiting for the others would make it the last one.
    expect(asked.indexOf('new')).toBeLessThan(RUNS);
    for (const path of [...paths, fresh]) {
      const frames = await receive(await client.get(`${path}/stream`), () => false);
      expect(frames.filter(({ event }) => event === 'end' || event === 'error')).toHaveLength(1);
      expect(await jsonOf<RunJson>(client.get(path))).toMatchObject({ status: 'success' });
    }
    const times = await Promise.all(paths.map(lastAskedAt));
    const within = (ms: number) => times.map((at) => times.filter((it) => it >= at && it < at + ms).length);
    // The amount of half a second, and as much again for a machine that is late.
    expect(Math.max(...within(500))).toBeLessThanOrEqual(RESUMED_PER_SECOND);
  });

  it('a run that waits to be resumed can be cancelled immediately', async () => {
    service = await startFaultService({ runs: { resume_per_second: 1 } });
    const { model, process, client } = service;
    model.onRequest(() => answer.hangMidStream('lost'));
    const paths = await Promise.all(Array.from({ length: 12 }, (_, n) => begin(`old ${n}`)));
    await model.requested(12);
    await process.kill();
    await process.restart();
    const last = paths.at(-1) ?? '';
    const resumed = model.requests.length;
    expect((await client.post(`${last}/cancel?wait=1`, {})).status).toBe(204);
    expect(await jsonOf<RunJson>(client.get(last))).toMatchObject({ status: 'interrupted', attempt: 2 });
    expect(model.requests.length - resumed).toBeLessThan(10);
  });
});

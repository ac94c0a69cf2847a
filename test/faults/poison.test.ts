// A run that kills the process each time, beside runs that do nothing wrong (fault.F17).
import { afterEach, expect, it } from 'vitest';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { MODES } from '../support/run-stream.ts';
import { question } from '../support/service.ts';
import { type CrashingProcess, startCrashingProcess } from './crashing-process.ts';
import { createStubbornClient } from './stubborn-client.ts';

const INNOCENT = 5;
const WHOLE = 'this takes longer than the process lives while the other one is there';

let model: ModelServer;
let process: CrashingProcess;
afterEach(async () => {
  await process.remove();
  await model.close();
});

it('[fault.F17] ends alone: every other running run comes to its own end', async () => {
  model = await startModelServer();
  let asked = 0;
  const allAsked = Promise.withResolvers<void>();
  model.onRequest(async ({ lastUserText }) => {
    if (++asked > INNOCENT) allAsked.resolve();
    // Not before all others are running.
    await allAsked.promise;
    if (lastUserText === 'poison') return answer.toolCalls([{ name: 'die', args: {} }]);
    const words = WHOLE.split(/(?= )/).flatMap((word) => [step.text(word), step.pause(40)]);
    return answer.script(...words, step.finish(), step.done());
  });
  process = await startCrashingProcess({ modelUrl: model.url });
  const client = await createStubbornClient(process);
  const started = async (text: string) => {
    const threadId = await client.newThread();
    const path = `/api/graph/threads/${threadId}`;
    const body = question(text, { stream_mode: MODES });
    const { run_id: runId } = await jsonOf<RunJson>(client.http.post(`${path}/runs`, body));
    return { threadId, runId, path };
  };
  const innocent = [await started('first'), await started('second')];
  const poison = await started('poison');
  while (innocent.length < INNOCENT) innocent.push(await started('later'));

  for (const { threadId, runId, path } of innocent) {
    const frames = await client.follow(threadId, runId);
    expect(frames.filter(({ event }) => event === 'error' || event === 'end')).toHaveLength(1);
    const run = await jsonOf<RunJson>(client.persist(() => client.http.get(`${path}/runs/${runId}`)));
    expect(run).toMatchObject({ status: 'success' });
    const { values } = await jsonOf<StateJson>(client.persist(() => client.http.get(`${path}/state`)));
    expect(values.messages.at(-1)?.content).toBe(WHOLE);
  }
  await client.follow(poison.threadId, poison.runId);
  const run = await jsonOf<RunJson>(client.http.get(`${poison.path}/runs/${poison.runId}`));
  expect(run).toMatchObject({ status: 'error', stop_reason: 'crashed_repeatedly' });
  expect(process.deaths()).toBe(3);
});

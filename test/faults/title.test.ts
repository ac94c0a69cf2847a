// A kill while a model writes the title of a thread (fault.F11): the old or the new one, in all places. Also
// a kill among the first hooks of a run, one of which is that of the title.
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cases } from '../support/amount.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import type { ModelServer } from '../support/model-server.ts';
import { dataOf, type TestFrame } from '../support/sse.ts';
import { sendFiles } from '../support/upload.ts';
import { crashTests } from './crash-tests.ts';
import type { CrashOrder } from './crashing-service.ts';
import { brokenInvariants } from './invariants.ts';
import { readThread } from './thread-evidence.ts';

type Request = ModelServer['requests'][number];

const QUESTION = 'What grows here';
const WRITTEN = 'Plants of the Valley';
/** Slow enough for the title to be first. */
const OLIVES = answer.script(
  ...['Ol', 'iv', 'es'].flatMap((piece) => [step.text(piece), step.pause(20)]),
  step.finish(),
  step.usage({ prompt: 20, completion: 3 }),
  step.done(),
);

const crash = crashTests({ agent: { title_model: 'scripted' } });

const isForTitle = ({ body }: Request): boolean => JSON.stringify(body.messages).includes('Write a title');

async function titles(threadId: string): Promise<{ readonly listed: unknown; readonly inState: unknown }> {
  const found = await jsonOf<readonly { readonly thread_id: string; readonly values: { title?: string } }[]>(
    crash.client.persist(() => crash.client.http.post('/api/threads/search', { ids: [threadId] })),
  );
  const path = `/api/graph/threads/${threadId}/state`;
  const { values } = await jsonOf<StateJson>(crash.client.persist(() => crash.client.http.get(path)));
  return { listed: found[0]?.values.title, inState: values.title };
}

/**
 * Asks, dies at the point, and checks everything stored. The title is written after `ask`, or immediately.
 */
async function expectSurvival(
  point: string,
  occurrence: number,
  when: 'at once' | 'after the answer',
): Promise<string> {
  await crash.process.up();
  const deaths = crash.process.deaths();
  const threadId = await crash.client.newThread();
  const answered = Promise.withResolvers<void>();
  crash.model.onRequest(async (request) => {
    if (!isForTitle(request)) return OLIVES;
    if (when === 'after the answer') await answered.promise;
    return answer.text(WRITTEN);
  });
  crash.process.arm({ point, occurrence });
  const { runId, frames } = await crash.client.ask(threadId, QUESTION);
  answered.resolve();
  await expect.poll(() => crash.process.deaths() - deaths).toBe(1);
  await crash.process.up();
  let listed: unknown;
  // A late title may change between the two requests.
  const agree = async (): Promise<boolean> => {
    const now = await titles(threadId);
    listed = now.listed;
    return now.listed === now.inState;
  };
  await expect.poll(agree).toBe(true);
  expect([QUESTION, WRITTEN]).toContain(listed);
  const replayed = await crash.client.follow(threadId, runId);
  const thread = readThread(join(crash.process.dataHome, 'service.db'), threadId);
  expect(brokenInvariants(thread, [{ runId, received: frames, replayed }], [])).toEqual([]);
  expect(thread.folded.map(({ content }) => content)).toEqual([QUESTION, 'Olives']);
  return String(listed);
}

const each = (points: readonly string[], occurrences: readonly number[]) =>
  points.flatMap((point) => occurrences.map((occurrence): [string, number] => [point, occurrence]));

describe('kill -9 while a title is written', () => {
  const POINTS = each(
    ['model.before', 'model.token', 'model.after', 'commit.before', 'commit.after'],
    [1, 2],
  );
  it.each(cases(POINTS, ([, occurrence]) => occurrence === 1))(
    '[fault.F11] beside the reply: %s %i',
    async (point, occurrence) => {
      await expectSurvival(point, occurrence, 'at once');
    },
  );

  it.each([
    ['append.before', QUESTION],
    ['append.after', WRITTEN],
  ])('[fault.F11] after the reply: %s', async (point, expected) => {
    expect(await expectSurvival(point, 1, 'after the answer')).toBe(expected);
  });
});

/** Returns the index of the frame with the update of the node. */
const placeOf = (frames: readonly TestFrame[], node: string): number =>
  frames.findIndex(
    ({ event, data }) => event === 'updates' && Object.keys(data as Record<string, unknown>).includes(node),
  );

/** Asks about an uploaded file while the process dies; checks that every hook is reported once. */
async function askAboutFile(
  order: CrashOrder,
  onFrame: (frame: TestFrame) => void = () => {},
): Promise<readonly TestFrame[]> {
  await crash.process.up();
  const deaths = crash.process.deaths();
  const threadId = await crash.client.newThread();
  const file = { name: 'valley.txt', content: Buffer.from('olives') };
  const sent = await crash.client.persist(() => sendFiles(crash.client.http, threadId, [file]));
  expect(sent.status).toBe(200);
  crash.process.arm(order);
  const { frames } = await crash.client.ask(threadId, QUESTION, { onFrame });
  await expect.poll(() => crash.process.deaths() - deaths).toBe(1);
  const nodes = dataOf<Record<string, unknown>>(frames, 'updates').flatMap((it) => Object.keys(it));
  const first = nodes.filter((it) => it.endsWith('.before_agent'));
  expect(first).toEqual(['title.before_agent', 'uploads.before_agent']);
  const state = await jsonOf<{ readonly values: { readonly uploaded_files: unknown } }>(
    crash.client.persist(() => crash.client.http.get(`/api/graph/threads/${threadId}/state`)),
  );
  expect(state.values.uploaded_files).toMatchObject([{ filename: 'valley.txt' }]);
  return frames;
}

describe('kill -9 among the first hooks of a run', () => {
  beforeEach(() =>
    crash.model.onRequest((request) => (isForTitle(request) ? answer.text(WRITTEN) : answer.text('Olives'))),
  );

  it('[fault.hooks] the remaining hooks run when the run is claimed again', async () => {
    // The hook of the uploads pauses where it reads their folder. The update of the title hook is durable
    // once shown.
    const order: CrashOrder = { point: 'file.opendir.before', occurrence: 1, holdMs: 'until killed' };
    const frames = await askAboutFile(order, (frame) => {
      if (placeOf([frame], 'title.before_agent') === 0) crash.process.signal('SIGKILL');
    });
    const taken = frames.findLastIndex(({ event }) => event === 'metadata');
    expect(placeOf(frames, 'title.before_agent')).toBeLessThan(taken);
    expect(placeOf(frames, 'uploads.before_agent')).toBeGreaterThan(taken);
  });

  it.each([1, 2])('[fault.hooks] each of them runs once: commit.after %i', async (occurrence) => {
    await askAboutFile({ point: 'commit.after', occurrence });
  });
});

// A kill while a model writes the title of a thread (fault.F11): the old one or the new one, in all places; and a
// kill among the first hooks of a run, of which that of the title is one.
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
/** Slow enough for the title to be there first. */
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

/** Asks, dies at the point, and checks everything that is left. The title is written when `asked` is over, or at once. */
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
  // A title that comes late may come between the two questions.
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
    '[fault.F11] beside the answer: %s %i',
    async (point, occurrence) => {
      await expectSurvival(point, occurrence, 'at once');
    },
  );

  it.each([
    ['append.before', QUESTION],
    ['append.after', WRITTEN],
  ])('[fault.F11] after the answer: %s', async (point, expected) => {
    expect(await expectSurvival(point, 1, 'after the answer')).toBe(expected);
  });
});

/** Where the node tells what it changed. */
const placeOf = (frames: readonly TestFrame[], node: string): number =>
  frames.findIndex(
    ({ event, data }) => event === 'updates' && Object.keys(data as Record<string, unknown>).includes(node),
  );

/** A question about a file that was uploaded, asked of a process that dies on the way; every hook is told of once. */
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

  it('[fault.hooks] the hooks that had not run yet run when the run is taken up', async () => {
    // The hook of the uploads stands still where it looks into their folder. What is shown of the title's is durable.
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

// A person's words become facts once, wherever the process dies (fault.F11).
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openMemoryStorage } from '../support/memory-storage.ts';
import { answer } from '../support/model-server/answer.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { openTestPostgres } from '../support/postgres.ts';
import { newThread, openTestService, question, streamed } from '../support/service.ts';
import { storageWithPoints } from './crash-points.ts';
import { crashTests } from './crash-tests.ts';
import { startCrashingProcess } from './crashing-process.ts';
import { createStubbornClient } from './stubborn-client.ts';

interface MemoryJson {
  readonly revision: number;
  readonly facts: readonly { readonly content: string }[];
}

type Request = ModelServer['requests'][number];

const LEARNING = { memory: { extraction: { enabled: true, delay_seconds: 0 } } };

const looksForFacts = ({ body }: Request): boolean =>
  JSON.stringify(body.messages).includes('You keep what an assistant remembers');

/** Returns one fact about the newest message, which quotes all of it. */
function proposal({ body }: Request) {
  const messages: readonly { readonly content: string }[] = JSON.parse(JSON.stringify(body.messages));
  const { said } = JSON.parse(messages.at(-1)?.content ?? '');
  const { message_id, text } = said.at(-1);
  const fact = { content: `Says: ${text}`, quote: text, message_id, replaces: null };
  return answer.text(JSON.stringify([{ ...fact, category: 'context', confidence: 0.9 }]));
}

const memoryOf = (client: Pick<HttpClient, 'get'>) => client.get('/api/memory');

describe('kill -9 while a thread is read for facts', () => {
  const crash = crashTests(LEARNING);

  const known = () => jsonOf<MemoryJson>(crash.client.persist(() => memoryOf(crash.client.http)));

  it.each([
    ['memory.add.before', 'I keep bees'],
    ['memory.add.after', 'I grow figs'],
    ['memory.finish.before', 'I play chess'],
    ['memory.finish.after', 'I paint doors'],
  ])('[memory.killed] [fault.F11] at %s', async (point, words) => {
    crash.model.onRequest((request) => (looksForFacts(request) ? proposal(request) : answer.text('Nice.')));
    await crash.process.up();
    const { revision } = await known();
    const deaths = crash.process.deaths();
    crash.process.arm({ point, occurrence: 1 });
    const threadId = await crash.client.newThread();
    await crash.client.ask(threadId, words);
    await crash.process.died(deaths + 1);
    await crash.process.up();
    await expect
      .poll(async () => (await known()).facts.map(({ content }) => content), { timeout: 10_000 })
      .toContain(`Says: ${words}`);
    const after = await known();
    expect(after.facts.filter(({ content }) => content.endsWith(words))).toHaveLength(1);
    expect(after.revision).toBe(revision + 1);
  });
});

it('[memory.takeover] of two processes one reads the thread, and the other one after the first stops', async () => {
  const [postgres, model] = await Promise.all([openTestPostgres(), startModelServer()]);
  onTestFinished(() => Promise.all([postgres.close(), model.close()]).then(() => {}));
  const options = {
    modelUrl: model.url,
    databaseUrl: postgres.url,
    config: {
      ...LEARNING,
      auth: {
        jwt_secret: 'bQ3vX9mT-Kd72LrYwZ0cHs5fNj8pGu4eR6',
        password_hash: { memory_kib: 8, iterations: 1 },
      },
    },
  };
  const first = await startCrashingProcess(options);
  onTestFinished(() => first.remove());
  let reads = 0;
  model.onRequest((request) => {
    if (!looksForFacts(request)) return answer.text('Nice.');
    reads += 1;
    return reads === 1 ? answer.hangBeforeHeaders() : proposal(request);
  });
  const { http, newThread } = await createStubbornClient(first);
  await jsonOf(http.post(`/api/graph/threads/${await newThread()}/runs/wait`, question('I keep bees')));
  await expect.poll(() => reads).toBe(1);
  const second = await startCrashingProcess(options);
  onTestFinished(() => second.remove());
  const elsewhere = await createStubbornClient(second, http.cookies);
  const looks = async () => (await second.passed())['memory.claim.after'] ?? 0;
  await expect.poll(looks, { timeout: 10_000 }).toBeGreaterThan(0);
  expect(reads).toBe(1);
  await first.stop();
  await expect
    .poll(async () => (await jsonOf<MemoryJson>(memoryOf(elsewhere.http))).facts, { timeout: 10_000 })
    .toMatchObject([{ content: 'Says: I keep bees' }]);
  expect(reads).toBe(2);
});

it('[memory.learned] the words of a run that is slow to write them become facts, too', async () => {
  let claimed: PromiseWithResolvers<void> | undefined;
  const storage = storageWithPoints(await openMemoryStorage(), (name) => {
    if (name === 'memory.claim.after') claimed?.resolve();
    return name === 'commit.before' ? claimed?.promise : undefined;
  });
  const test = await openTestService({ config: LEARNING, overrides: { storage } });
  onTestFinished(() => test.close());
  test.model.onRequest((request) => (looksForFacts(request) ? proposal(request) : answer.text('Nice.')));
  const client = await test.user();
  const threadId = await newThread(client);
  claimed = Promise.withResolvers();
  await streamed(client, threadId, question('I keep bees'));
  await expect
    .poll(async () => (await jsonOf<MemoryJson>(memoryOf(client))).facts)
    .toMatchObject([{ content: 'Says: I keep bees' }]);
});

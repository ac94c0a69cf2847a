// Long runs and long threads, counted instead of timed (fault.F35, F36).
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import type { Repositories, Storage } from '../../src/storage/storage.ts';
import { jsonOf, type ValuesJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf } from '../support/sse.ts';
import { withAhead } from '../support/with-ahead.ts';

const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

/** The traffic between the service and its storage. */
interface Traffic {
  committedBytes: number;
  frameReads: number;
  frameBytes: number;
}

let folder: string;
let traffic: Traffic;
let test: TestService;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'growth-'));
  await open();
});
afterEach(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

async function open(): Promise<void> {
  traffic = { committedBytes: 0, frameReads: 0, frameBytes: 0 };
  const storage = counted(await openStorage({ url: `sqlite:${folder}/service.db`, log: QUIET_LOG }), traffic);
  test = await openTestService({ dataHome: folder, overrides: { storage } });
}

function countedReads(own: Repositories, counts: Traffic): Repositories {
  return {
    ...own,
    frames: {
      readBack: own.frames.readBack,
      async read(runId, afterSeq, maxBytes) {
        const rows = await own.frames.read(runId, afterSeq, maxBytes);
        counts.frameReads++;
        counts.frameBytes += rows.reduce((sum, { events }) => sum + events.length, 0);
        return rows;
      },
    },
  };
}

function counted(storage: Storage, counts: Traffic): Storage {
  return {
    ...storage,
    runCommits: {
      ...storage.runCommits,
      commit(changes, now) {
        counts.committedBytes += JSON.stringify(changes).length;
        return storage.runCommits.commit(changes, now);
      },
    },
    as: (owner) => withAhead(storage.as(owner), (own) => countedReads(own, counts)),
  };
}

it('[fault.F35] a run of 10,000 events is joined by its end, and streamed by reading its log once, in pieces', async () => {
  const threadId = await newThread(await test.user('ada'));
  test.model.enqueue(answer.text(Array.from({ length: 10_000 }, (_, index) => `w${index} `)));
  const frames = await streamed(
    await test.user('ada'),
    threadId,
    question('hi', { stream_mode: ['messages-tuple'] }),
  );
  expect(dataOf(frames, 'messages').length).toBeGreaterThan(9_999);
  const [{ run_id = '' } = {}] = dataOf<{ run_id: string }>(frames, 'metadata');
  const path = `/api/graph/threads/${threadId}/runs/${run_id}`;
  // A service with nothing of the run in memory.
  await test.close();
  await open();
  const client = await test.user('ada');
  const values = await jsonOf<ValuesJson>(client.get(`${path}/join`));
  expect(values.messages).toHaveLength(2);
  expect(traffic.frameReads).toBe(0);
  expect(await allFrames(await client.get(`${path}/stream?stream_mode=messages-tuple`))).toEqual(frames);
  const { frameReads, frameBytes } = traffic;
  expect(frameReads).toBeLessThanOrEqual(Math.ceil(frameBytes / 32_768) + 3);
});

it('[fault.F36] a turn late in a thread writes what an early one wrote', { timeout: 120_000 }, async () => {
  const client = await test.user('ada');
  const threadId = await newThread(client);
  test.model.onRequest(({ body }) => {
    const messages = body.messages as readonly { readonly role: string }[];
    return messages.at(-1)?.role === 'tool' ? answer.text('y'.repeat(1_000)) : answer.toolCalls([look]);
  });
  const turn = async (): Promise<number> => {
    traffic.committedBytes = 0;
    await streamed(client, threadId, question('x'.repeat(500), { stream_mode: ['messages-tuple'] }));
    return traffic.committedBytes;
  };
  const turns: number[] = [];
  for (let index = 0; index < 120; index++) turns.push(await turn());
  // Prompts are traces, cut at a limit that turn 20 reaches.
  expect(Math.max(...turns.slice(-20))).toBeLessThanOrEqual(1.2 * Math.max(...turns.slice(20, 40)));
});

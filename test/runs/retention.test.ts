// Streams of runs that ended long ago: whole messages instead of their pieces, and no silent hole.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFramePruner } from '../../src/runs/record/old-runs.ts';
import { createUpkeep } from '../../src/upkeep/upkeep.ts';
import type { HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { MODES } from '../support/run-stream.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { allFrames, dataOf, type TestFrame } from '../support/sse.ts';

const DAY = 86_400_000;

let test: TestService;
let client: HttpClient;
let frames: TestFrame[];
let path: string;
const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

let folder: string;

const open = async (): Promise<void> => {
  const config = { database: { url: `sqlite:${folder}/service.db` } };
  test = await openTestService({ dataHome: folder, config });
  client = await test.user('ada');
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-service-'));
  await open();
  const threadId = await newThread(client);
  test.model.enqueue(
    answer.toolCalls([look], { text: 'Let me see' }),
    answer.text(['Nothing', ' is', ' there']),
  );
  frames = await streamed(client, threadId, question('list', { stream_mode: MODES }));
  const [{ run_id = '' } = {}] = dataOf<{ run_id: string }>(frames, 'metadata');
  path = `/api/graph/threads/${threadId}/runs/${run_id}/stream`;
});
afterEach(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

/** Prunes as if this time had passed, and restarts the service, so that nothing is in memory. */
async function prune(afterMs: number): Promise<number> {
  const retention = test.service.storage.frameRetention;
  const now = () => Date.now() + afterMs;
  const due = await retention.due(now() - DAY, 10);
  const upkeep = createUpkeep({ log: QUIET_LOG });
  await upkeep.add(createFramePruner({ retention, retentionMs: DAY, now })).wake();
  await test.close();
  await open();
  return due.length;
}

const withoutPieces = (list: readonly TestFrame[]) => list.filter(({ event }) => event !== 'messages');

describe('retention', () => {
  it('[runs.retention] keeps the pieces for the retention time, then shows messages whole', async () => {
    expect(await prune(DAY / 2)).toBe(0);
    expect(await allFrames(await client.get(path))).toEqual(frames);
    expect(await prune(DAY + 60_000)).toBe(1);
    expect(await prune(DAY + 60_000)).toBe(0);
    const replay = await allFrames(await client.get(path));
    expect(withoutPieces(replay).map(({ event, data }) => [event, data])).toEqual(
      withoutPieces(frames).map(({ event, data }) => [event, data]),
    );
    const whole = dataOf<[{ type: string; content: string; id: string }]>(replay, 'messages').map(
      ([message]) => message,
    );
    expect(whole.map(({ type, content }) => [type, content])).toMatchObject([
      ['ai', 'Let me see'],
      ['tool', expect.any(String)],
      ['ai', 'Nothing is there'],
    ]);
    const ids = replay.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('[runs.retention.events] events keep the start and the result of every model call', async () => {
    const named = async () => {
      const shown = await allFrames(await client.get(`${path}?stream_mode=events`));
      const events = dataOf<{ event: string; name: string }>(shown, 'events');
      return events.map(({ event, name }) => `${event} ${name}`);
    };
    const before = await named();
    await prune(DAY + 60_000);
    const after = await named();
    expect(before.filter((event) => event === 'on_chat_model_stream model').length).toBeGreaterThan(3);
    expect(after).toEqual(before.filter((event) => event !== 'on_chat_model_stream model'));
    expect(after.filter((event) => event === 'on_chat_model_end model')).toHaveLength(2);
  });

  it('[runs.retention.gap] a reader whose position is pruned gets a gap, the remaining frames and the end', async () => {
    const piece = frames.find(({ event }) => event === 'messages');
    await prune(DAY + 60_000);
    const rest = await allFrames(await client.get(path, { 'last-event-id': piece?.id ?? '' }));
    const [gap, next] = rest;
    expect(gap).toMatchObject({
      event: 'gap',
      data: {
        code: 'stream_gap',
        run_id: expect.any(String),
        requested_event_id: piece?.id,
        earliest_event_id: next?.id,
        recovery: 'reload_state',
      },
    });
    expect(rest.at(-1)?.event).toBe('end');
    expect(rest.filter(({ event }) => event === 'gap' || event === 'end')).toHaveLength(2);
  });

  it('[runs.retention.kept] a reader whose position remains continues without a gap', async () => {
    const values = frames.filter(({ event }) => event === 'values');
    await prune(DAY + 60_000);
    for (const { id } of values) {
      const rest = await allFrames(await client.get(path, { 'last-event-id': id }));
      expect(rest.map(({ event }) => event)).not.toContain('gap');
      expect(rest.at(-1)?.event).toBe('end');
    }
  });
});

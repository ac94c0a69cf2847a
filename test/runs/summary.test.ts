// The summary of a long thread: how it is reported, and to which branch and thread it belongs.

import { afterEach, expect, it } from 'vitest';
import type { RunEventRecord } from '../../src/storage/run-events.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { ownTime } from '../support/own-time.ts';
import { question } from '../support/service.ts';
import { dataOf, framesOf, type TestFrame } from '../support/sse.ts';
import {
  asksForSummary,
  FULL,
  LONG,
  type LongThread,
  openLongThread,
  SUMMARY,
  summarizations,
  textsOf,
  WINDOW,
} from './long-thread.ts';

let thread: LongThread;
afterEach(() => thread.test.close());

/** Asks four long questions, the last of which fills the window. */
async function fill(): Promise<void> {
  thread = await openLongThread(WINDOW);
  await thread.askLong(3);
  thread.test.model.enqueue(answer.text('nearly full', FULL));
  await thread.ask(`4 ${LONG}`);
}

function post(path: string, body: Record<string, unknown>): Promise<Response> {
  return thread.client.post(`/api/graph/threads/${thread.threadId}${path}`, body);
}

it('[compaction.reported] is the work of a middleware: recorded, counted apart, and no message', async () => {
  await fill();
  thread.answer(
    () => answer.text('fine'),
    () => answer.text(SUMMARY, { usage: { prompt: 70, completion: 7 } }),
  );
  const frames = await thread.ask('and now?');
  const run = await thread.lastRun();
  expect(run).toMatchObject({ middleware_tokens: 77, lead_agent_tokens: 15, total_tokens: 92 });
  expect(JSON.stringify(dataOf(frames, 'messages'))).not.toContain(SUMMARY);
  const { id } = await jsonOf<{ id: string }>(thread.client.get('/api/v1/auth/me'));
  const { runEvents } = thread.test.service.storage.as(id);
  const { events } = await runEvents.list(thread.threadId, { cursor: { kind: 'newest' }, limit: 500 });
  const own = events.filter(({ runId }) => runId === run.run_id);
  const told = ({ eventType, category, metadata }: RunEventRecord) =>
    [category, eventType, metadata.caller].filter(Boolean).join(' ');
  expect(own.map(told)).toEqual([
    'message human_message',
    'lifecycle run_start',
    'trace llm_request middleware:summarize',
    'trace llm_response middleware:summarize',
    'middleware:summarize middleware:summarize',
    'trace llm_request lead_agent',
    'trace llm_response lead_agent',
    'message ai_message',
    'lifecycle run_end',
  ]);
  expect(own[4]).toMatchObject({
    content: { role: 'system', content: SUMMARY },
    metadata: { replaced_count: 5 },
  });
  expect(JSON.stringify(own[5]?.content)).toContain(SUMMARY);
});

it('[compaction.progress] is announced before the model is called for it', async () => {
  await fill();
  const gate = Promise.withResolvers<void>();
  thread.test.model.onRequest(async (request) => {
    if (!asksForSummary(request)) return answer.text('fine');
    await gate.promise;
    return answer.text(SUMMARY);
  });
  const response = await post('/runs/stream', question('and now?', { stream_mode: ['custom'] }));
  const statuses: string[] = [];
  for await (const frame of framesOf(response)) {
    statuses.push(...summarizations([frame]).map(({ status }) => status));
    if (statuses.length === 1) gate.resolve();
  }
  expect(statuses).toEqual(['started', 'completed']);
});

it('[compaction.branch] belongs to its branch: an earlier checkpoint has its own, or none', async () => {
  await fill();
  await thread.ask('and now?');
  const history = await thread.history();
  const early = history.find(({ values }) => values.messages.length === 4);
  await thread.ask('something else', { checkpoint: early?.checkpoint });
  expect(textsOf(thread.lastRequest())).toContain(`1 ${LONG}`);
  expect(textsOf(thread.lastRequest())).not.toContain(SUMMARY);
  expect((await thread.state()).values.summary).toBeUndefined();
  await thread.ask('back again', { checkpoint: history[0]?.checkpoint });
  expect(textsOf(thread.lastRequest())).toContain(SUMMARY);
});

it('[compaction.edited] of messages that were changed or removed later is not shown', async () => {
  await fill();
  await thread.ask('and now?');
  const { checkpoint, values } = await thread.state();
  const [first, , third] = values.messages;
  const removed = await post('/state', { values: { messages: [{ type: 'remove', id: first?.id }] } });
  expect(removed.status).toBe(200);
  thread.test.model.enqueue(answer.text('fine'));
  await thread.ask('what do you know?');
  const afterRemoval = textsOf(thread.lastRequest());
  expect(afterRemoval).not.toContain(SUMMARY);
  expect(afterRemoval).not.toContain(`1 ${LONG}`);
  expect(afterRemoval).toContain(`2 ${LONG}`);
  // By the input of a run, too: a message replaces the one with the same id.
  const edited = { role: 'user', id: third?.id, content: 'I like figs.' };
  thread.test.model.enqueue(answer.text('fine'));
  await thread.ask('', { input: { messages: [edited] }, checkpoint });
  const afterEdit = textsOf(thread.lastRequest());
  expect(afterEdit).not.toContain(SUMMARY);
  expect(afterEdit).toContain('I like figs.');
  expect(afterEdit).toContain(`1 ${LONG}`);
});

it.each([
  ['before the answer', () => answer.text('fine'), 0],
  ['after a refusal', () => answer.contextOverflow(), 1],
])(
  '[compaction.cancel] that is being written %s ends with its run, within a second',
  async (_, own, refused) => {
    if (refused === 0) await fill();
    else {
      thread = await openLongThread({});
      await thread.askLong(4);
    }
    thread.answer(own, () => answer.hangMidStream('The person'));
    const asked = thread.agentRequests().length;
    const frames: TestFrame[] = [];
    let took: (() => number) | undefined;
    const response = await post('/runs/stream', question('and now?', { stream_mode: ['custom'] }));
    for await (const frame of framesOf(response)) {
      frames.push(frame);
      if (took !== undefined || summarizations([frame]).length === 0) continue;
      await thread.test.model.requested(asked + refused + 1);
      took = ownTime();
      const { run_id: runId } = await thread.lastRun();
      await post(`/runs/${runId}/cancel`, {});
    }
    expect(took?.()).toBeLessThan(1_000);
    expect(frames.at(-1)?.event).toBe('end');
    expect(await thread.lastRun()).toMatchObject({
      status: 'interrupted',
      stop_reason: 'interrupted_by_user',
    });
    expect(thread.agentRequests()).toHaveLength(asked + refused);
    expect((await thread.state()).values.summary).toBeUndefined();
  },
);

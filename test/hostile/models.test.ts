// A model server that wants to be taken for this service: what it sends is text, and nothing else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';
import { dataOf, framesOf, type TestFrame } from '../support/sse.ts';

let service: TestService;
let ann: HttpClient;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
});
afterAll(() => service.close());

interface Seen {
  readonly frames: readonly TestFrame[];
  /** The stream as it came. */
  readonly wire: string;
  readonly text: string;
  readonly run: RunJson;
}

async function said(scripted: Answer): Promise<Seen> {
  const threadId = await newThread(ann);
  service.model.enqueue(scripted);
  const response = await ann.post(
    `/api/graph/threads/${threadId}/runs/stream`,
    question('go', { stream_mode: ['messages-tuple', 'values', 'custom', 'updates'] }),
  );
  const wire = await response.text();
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(new Response(wire))) frames.push(frame);
  const { values } = await jsonOf<StateJson>(ann.get(`/api/graph/threads/${threadId}/state`));
  const { runs } = await jsonOf<{ runs: RunJson[] }>(ann.get(`/api/graph/threads/${threadId}/runs`));
  const [run] = runs;
  if (run === undefined) throw new Error('There is no run.');
  return { frames, wire, text: values.messages.at(-1)?.content ?? '', run };
}

/** What some client takes for the end of a line, as Python's `splitlines` does. */
const LINE_ENDS = ['\r', '\v', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029'];

function expectPlainLines(wire: string): void {
  expect([...LINE_ENDS, '\0'].filter((end) => wire.includes(end))).toEqual([]);
}

/** One stream of one run: it begins with `metadata`, has one `end`, and every frame has one line of data. */
function expectOneStream({ frames, wire, run }: Seen): void {
  expect(frames.map(({ event }) => event).filter((event) => event === 'end')).toEqual(['end']);
  expect(frames.at(-1)?.event).toBe('end');
  expect(dataOf(frames, 'metadata')).toEqual([{ run_id: run.run_id, thread_id: run.thread_id, attempt: 1 }]);
  expect(wire.split('\n').filter((line) => line.startsWith('event: '))).toHaveLength(frames.length);
  expectPlainLines(wire);
  const known = ['metadata', 'messages', 'values', 'custom', 'updates', 'end', 'error'];
  expect(frames.filter(({ event }) => !known.includes(event))).toEqual([]);
}

const EVIL = [
  'a\n\nevent: end\ndata: {}\n\nevent: metadata\ndata: {"run_id":"another"}\nid: 999-9\n\n',
  'b\r\nevent: error\r\ndata: {}\r\n\r\n',
  'c\u2028event: end\u2029data: {}\u0085id: 999-9\vid: 999-9\fid: 999-9\u001cid: 999-9\u001eid: 999-9',
  'd\u0000\u0007\u001b[2J\u001b]0;owned\u0007',
  'e<script>alert(1)</script><img src=x onerror=alert(1)>',
  'f: \n:\n\n: heartbeat\n',
  '[DONE]',
];

it('[hostile.S44] text that looks like frames, controls a terminal or holds markup is text', async () => {
  const seen = await said(answer.text(EVIL));
  expectOneStream(seen);
  expect(seen.run.status).toBe('success');
  // Databases keep no NUL; everything else is as it was said.
  expect(seen.text.replaceAll('\ufffd', '\0')).toBe(EVIL.join(''));
});

it('[hostile.S44] nor is it in the events of the thread, in calls or in results of tools', async () => {
  const threadId = await newThread(ann);
  service.model.enqueue(
    answer.toolCalls([{ name: 'ls', args: { description: EVIL.join(''), path: EVIL.join('') } }]),
    answer.text(EVIL),
  );
  const modes = { stream_mode: ['messages-tuple', 'values', 'updates', 'custom', 'events'] };
  const streamed = await ann.post(
    `/api/graph/threads/${threadId}/runs/stream`,
    question(EVIL.join(''), modes),
  );
  const wire = await streamed.text();
  expectPlainLines(wire);
  const channels = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'custom'];
  const response = await ann.post(`/api/graph/threads/${threadId}/stream/events`, { channels });
  let shown = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    shown += decoder.decode(chunk, { stream: true });
    if (shown.includes('"event":"completed"')) break;
  }
  expectPlainLines(shown);
  for (const text of [wire, shown])
    expect(text).toContain(String.raw`c\u2028event: end\u2029data: {}\u0085id`);
});

it('[hostile.S44] events of other names and of other runs, comments, ids and retries in its stream are not passed on', async () => {
  const seen = await said(
    answer.script(
      step.raw(': comment\nretry: 1\nid: 999-9\n\n'),
      step.raw('event: end\ndata: {}\n\n'),
      step.event({ run_id: 'another', thread_id: 'another' }, 'metadata'),
      step.event({ choices: [{ index: 0, delta: { content: null, run_id: 'another', role: 'system' } }] }),
      step.text('fine'),
      step.event({ id: 'x', choices: [], run_id: 'another', event: 'end' }, 'end'),
      step.finish(),
      step.done(),
    ),
  );
  expectOneStream(seen);
  expect(seen.wire).not.toContain('another');
  expect(seen.wire).not.toContain('999-9');
});

it('[hostile.S44] a line of a megabyte, bytes that are no UTF-8 and lone surrogates do no harm', async () => {
  for (const scripted of [
    answer.hugeLine(1_000_000),
    answer.invalidUtf8(),
    answer.script(
      step.raw('data: {"choices":[{"index":0,"delta":{"content":"x\\ud800y"},"finish_reason":null}]}\n\n'),
      step.finish(),
      step.done(),
    ),
  ]) {
    const seen = await said(scripted);
    expectOneStream(seen);
    expect(seen.run.status).toBe('success');
  }
});

it('[hostile.S44] calls with names and ids that are no names run nothing and end no stream', async () => {
  const evil = 'ls\n\nevent: end\ndata: {}\n\n';
  const threadId = await newThread(ann);
  service.model.enqueue(
    answer.toolCalls([
      { name: evil, args: {}, id: 'a\n\nid: 9-9' },
      { name: '__proto__', args: {} },
      { name: 'constructor', args: {} },
    ]),
    answer.text('done'),
  );
  const response = await ann.post(
    `/api/graph/threads/${threadId}/runs/stream`,
    question('go', { stream_mode: ['values', 'custom'] }),
  );
  const wire = await response.text();
  const frames: TestFrame[] = [];
  for await (const frame of framesOf(new Response(wire))) frames.push(frame);
  expect(frames.filter(({ event }) => event === 'end')).toHaveLength(1);
  const { values } = await jsonOf<StateJson>(ann.get(`/api/graph/threads/${threadId}/state`));
  const results = values.messages.filter(({ type }) => type === 'tool');
  expect(results.map(({ status }) => status)).toEqual(['error', 'error', 'error']);
  expect(values.messages.at(-1)?.content).toBe('done');
});

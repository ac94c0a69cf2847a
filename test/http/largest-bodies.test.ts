// The largest request that each route allows, and texts beyond their limits, while another client requests
// /health.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { amount } from '../support/amount.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { type JsonSchema, type RequestSchemas, requestSchemas } from '../support/request-bounds.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

/** Just within `server.max_json_bytes`. */
const BODY_BYTES = 4_000_000;
const BRANCHES = amount(1, 2);
/**
 * The longest block of the loop, in milliseconds, by the processing of a body, beyond receiving the same
 * bytes: three times the measured value. docs/decisions/0043-bounds.md explains what remains.
 */
const STANDING_MS = 50;
/** Garbage of one body may be collected during another; a body that is too expensive is so each time. */
const TRIES = 3;
const PATIENCE = { timeout: 240_000 };
const JSON_TYPE = { 'content-type': 'application/json' };
/** Refused before the body is read. */
const OTHER_TYPE = { 'content-type': 'text/plain' };
const LARGE_BYTES = 100_000;

let service: TestService;
let ann: HttpClient;
let schemas: RequestSchemas;
beforeAll(async () => {
  service = await openTestService();
  service.model.onRequest(() => answer.text('fine'));
  ann = await service.user('ann');
  schemas = requestSchemas(await bodyOf(await ann.get('/openapi.json')));
});
afterAll(() => service.close());

/** Returns the CPU time of this thread in milliseconds, which other work of the machine does not change. */
function worked(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

interface SentBody {
  readonly body: string;
  readonly headers: Record<string, string>;
  /** Consumes the response. Absent: it is not read. */
  readonly take?: (answer: Response) => unknown;
}

/** Sends the request beside one of another client for `/health`; returns its status and the longest turn. */
async function sent(method: string, path: string, { take = left, ...init }: SentBody) {
  let isOver = false;
  let stoodMs = 0;
  const watched = (async () => {
    let before = worked();
    while (!isOver) {
      await new Promise(setImmediate);
      const now = worked();
      stoodMs = Math.max(stoodMs, now - before);
      before = now;
    }
  })();
  const [response, health] = await Promise.all([
    ann.send(method, path, init),
    service.client().get('/health'),
  ]);
  await take(response);
  isOver = true;
  await watched;
  expect([health.status, response.status < 500]).toEqual([200, true]);
  return { status: response.status, stoodMs };
}

function left({ body }: Response): unknown {
  return body?.cancel();
}

/** Returns how much longer the loop blocked for the body than for receiving it, each time. */
async function standing(method: string, path: string, body: string) {
  const times: number[] = [];
  const statuses: number[] = [];
  do {
    const place = await filled(path);
    const received = await sent(method, place, { body, headers: OTHER_TYPE });
    // Routes for programs alone refuse the request earlier.
    expect([path, received.status]).toEqual([path, path === '/mcp' ? 403 : 415]);
    const { status, stoodMs } = await sent(method, place, { body, headers: JSON_TYPE });
    times.push(Math.round(stoodMs - received.stoodMs));
    statuses.push(status);
  } while (times.length < TRIES && Math.min(...times) > STANDING_MS);
  return { times, statuses };
}

function valuesFrames(text: string): readonly string[] {
  return text.split('\n\n').flatMap((frame) => {
    const [event, data = ''] = frame.split('\n');
    return event === 'event: values' ? [data.slice('data: '.length)] : [];
  });
}

const made = new Map<string, ReadonlySet<string>>();

/** Returns the large bodies of a schema, cached because routes share their schemas. */
function largeBodies(schema: JsonSchema): ReadonlySet<string> {
  const key = JSON.stringify(schema);
  const bodies = made.get(key) ?? newBodies(schema);
  made.set(key, bodies);
  return bodies;
}

function newBodies(schema: JsonSchema): ReadonlySet<string> {
  const bodies = Array.from({ length: BRANCHES }, (_, branch) => [
    JSON.stringify(schemas.largest(schema, BODY_BYTES, branch)),
    ...schemas
      .largestParts(schema, BODY_BYTES, branch)
      .map((it) => JSON.stringify(it))
      .filter((text) => text.length > LARGE_BYTES),
  ]);
  return new Set(bodies.flat());
}

async function filled(path: string): Promise<string> {
  const threadId = path.includes('{thread_id}') ? await newThread(ann) : '';
  return path.replace('{thread_id}', threadId).replaceAll(/\{\w+\}/g, 'absent');
}

it(
  '[http.bounds.largest] [hostile.S64] the largest body of every route leaves /health answering',
  PATIENCE,
  async () => {
    const requests = schemas.routes.flatMap(({ name, method, path, json }) =>
      json === undefined ? [] : [...largeBodies(json)].map((body) => ({ name, method, path, body })),
    );
    const dear: unknown[] = [];
    let accepted = 0;
    for (const { name, method, path, body } of requests) {
      const { times, statuses } = await standing(method, path, body);
      accepted += statuses.filter((status) => status < 300).length;
      if (Math.min(...times) > STANDING_MS) dear.push([name, body.length, body.slice(0, 80), times]);
    }
    expect(dear).toEqual([]);
    // Bodies whose contents were accepted.
    expect(accepted).toBeGreaterThan(25);
    expect(service.complaints).toEqual([]);
  },
);

it('[http.bounds.largest] [hostile.S64] 200 messages of words for the search index leave /health answering', async () => {
  const words = Array.from({ length: 1_500 }, (_, n) => `wörd${n} is`).join(' ');
  const messages = Array.from({ length: 200 }, () => ({ role: 'user', content: words }));
  const body = JSON.stringify({ input: { messages } });
  const { times, statuses } = await standing('POST', '/api/threads/{thread_id}/runs', body);
  expect([Math.min(...times) <= STANDING_MS, times, statuses]).toEqual([true, times, times.map(() => 200)]);
});

it('[http.bounds.largest] [hostile.S64] 90,000 unknown fields are ignored and leave /health answering', async () => {
  const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, index) => [`k${index}`, null]));
  const body = JSON.stringify({ ...unknown, input: { messages: [{ role: 'user', content: 'hello' }] } });
  const { times, statuses } = await standing('POST', '/api/threads/{thread_id}/runs', body);
  expect([Math.min(...times) <= STANDING_MS, times, statuses]).toEqual([true, times, times.map(() => 200)]);
});

it('[http.bounds.largest] a state of 4 MB reaches waiting and following clients whole, and leaves /health answering', async () => {
  const content = 'größer 漢字 😀 "is"\u2028 '.repeat(120_000);
  const body = JSON.stringify({ input: { messages: [{ role: 'user', content }] }, stream_mode: ['values'] });
  for (const [way, valuesIn] of [
    ['wait', (text: string) => text],
    ['stream', (text: string) => valuesFrames(text).at(-1)],
  ] as const) {
    let pieces: Uint8Array[] = [];
    // Joined and decoded later, because that blocks the loop for as long as the service does.
    const take = async ({ body: received }: Response) => {
      pieces = [];
      for await (const piece of received ?? []) pieces.push(piece);
    };
    const times: number[] = [];
    while (times.length < TRIES && !times.some((it) => it < 2 * STANDING_MS)) {
      const place = await filled(`/api/graph/threads/{thread_id}/runs/${way}`);
      times.push((await sent('POST', place, { body, headers: JSON_TYPE, take })).stoodMs);
    }
    expect(Math.min(...times)).toBeLessThan(2 * STANDING_MS);
    const text = Buffer.concat(pieces).toString();
    expect(text.includes('\u2028')).toBe(way === 'wait');
    const { messages } = JSON.parse(valuesIn(text) ?? '');
    expect(messages[0].content === content).toBe(true);
    expect(messages[1].content).toBe('fine');
  }
});

it('[http.bounds.largest] a text that is one character too long is 4xx, on every route', async () => {
  let tried = 0;
  for (const { name, method, path, json } of schemas.routes) {
    if (json === undefined) continue;
    const place = await filled(path);
    for (const body of schemas.tooLong(json)) {
      const text = JSON.stringify(body);
      const response = await ann.send(method, place, { body: text, headers: JSON_TYPE });
      await response.body?.cancel();
      const shown = [name, text.slice(0, 100)];
      expect([...shown, Math.floor(response.status / 100)]).toEqual([...shown, 4]);
      tried += 1;
    }
  }
  expect(tried).toBeGreaterThan(200);
  expect(service.complaints).toEqual([]);
});

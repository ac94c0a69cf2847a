// The largest request that each route allows, and texts beyond their limits, while somebody else asks for /health.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { type JsonSchema, type RequestSchemas, requestSchemas } from '../support/request-bounds.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

/** Just within `server.max_json_bytes`. */
const BODY_BYTES = 4_000_000;
const BRANCHES = 2;
/** Milliseconds for which the loop may stand because of one body: to read, check, store and answer four megabytes. */
const STANDING_MS = 400;
/** A machine that is busy holds up everybody for a while; a body that is too dear does so each time. */
const TRIES = 3;
const PATIENCE = { timeout: 240_000 };
const JSON_TYPE = { 'content-type': 'application/json' };
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

/** For how long the loop stood at most while the request was answered, and what came of it. */
async function sent(method: string, path: string, body: string) {
  let isOver = false;
  let stoodMs = 0;
  const watched = (async () => {
    while (!isOver) {
      const before = performance.now();
      await new Promise(setImmediate);
      stoodMs = Math.max(stoodMs, performance.now() - before);
    }
  })();
  const [response, health] = await Promise.all([
    ann.send(method, path, { body, headers: JSON_TYPE }),
    service.client().get('/health'),
  ]);
  await response.body?.cancel();
  isOver = true;
  await watched;
  expect([health.status, response.status < 500]).toEqual([200, true]);
  return { status: response.status, stoodMs };
}

const made = new Map<string, ReadonlySet<string>>();

/** Routes share their schemas. */
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
      const times: number[] = [];
      do {
        const { status, stoodMs } = await sent(method, await filled(path), body);
        times.push(Math.round(stoodMs));
        if (status < 300) accepted += 1;
      } while (times.length < TRIES && Math.min(...times) > STANDING_MS);
      if (Math.min(...times) > STANDING_MS) dear.push([name, body.length, body.slice(0, 80), times]);
    }
    expect(dear).toEqual([]);
    // Those that were not refused for what they say.
    expect(accepted).toBeGreaterThan(25);
    expect(service.complaints).toEqual([]);
  },
);

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

// The OpenAPI document of every operation.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { exampleOf } from '../../src/http/document/api-schemas.ts';
import { answerContract } from '../support/answer-contract.ts';
import { jsonOf } from '../support/json-of.ts';
import { createSchemaCheck } from '../support/schema-check.ts';
import { newThread, openTestService, question, type TestService } from '../support/service.ts';

const contentSchema = z.object({
  schema: z.record(z.string(), z.unknown()),
  example: z.unknown().optional(),
});
const answerSchema = z.object({
  description: z.string().min(3),
  content: z.record(z.string(), contentSchema).optional(),
});
const operationSchema = z.object({
  operationId: z.string().regex(/^[a-z][A-Za-z]+$/),
  summary: z.string().min(3),
  security: z.array(z.unknown()).optional(),
  parameters: z
    .array(
      z.object({
        name: z.string(),
        in: z.enum(['path', 'query', 'header']),
        description: z.string().min(3),
        schema: z.record(z.string(), z.unknown()),
      }),
    )
    .default([]),
  requestBody: z.object({ content: z.record(z.string(), contentSchema) }).optional(),
  responses: z.record(z.string(), answerSchema),
});
const documentSchema = z.object({
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
});

interface Operation extends z.output<typeof operationSchema> {
  readonly name: string;
}

let service: TestService;
let operations: readonly Operation[];
let components: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  service = await openTestService();
  const document = documentSchema.parse(await jsonOf(service.client().get('/openapi.json')));
  const { paths } = document;
  components = document.components.schemas;
  operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, name: `${method} ${path}` })),
  );
});
afterAll(() => service.close());

const headersOf = (name: string) =>
  operations
    .find((it) => it.name === name)
    ?.parameters.flatMap((it) => (it.in === 'header' ? [it.name] : []));

it('[http.openapi.operations] ids belong to one operation each, and are those that clients know', () => {
  const ids = operations.map(({ operationId }) => operationId);
  expect(ids.length).toBeGreaterThan(100);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  expect(ids).toEqual(
    expect.arrayContaining(['createThread', 'graphCreateThread', 'graphStreamRun', 'signIn']),
  );
});

it('[http.openapi.operations] every name in a path is a parameter', () => {
  for (const { name, parameters } of operations) {
    const named = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter);
    expect([name, parameters.filter((it) => it.in === 'path').map((it) => it.name)]).toEqual([name, named]);
  }
});

it('[http.openapi.operations] headers are parameters', () => {
  const runs = '/api/graph/threads/{thread_id}/runs';
  expect(headersOf(`post ${runs}/stream`)).toEqual(['Idempotency-Key', 'X-CSRF-Token']);
  expect(headersOf(`get ${runs}/{run_id}/stream`)).toEqual(['Last-Event-ID']);
  expect(headersOf('patch /api/graph/threads/{thread_id}')).toEqual(['Prefer', 'X-CSRF-Token']);
  expect(headersOf('get /api/threads/{thread_id}/artifacts/{path}')).toContain('Range');
  expect(headersOf('post /api/v1/auth/login/local')).toEqual([]);
});

/** Returns the error statuses that every operation of this kind has. */
function expectedErrors({ name, security, requestBody }: Operation): readonly string[] {
  const isOpen = security?.length === 0;
  return [
    ...(isOpen ? [] : ['401']),
    ...(isOpen || name.startsWith('get ') ? [] : ['403']),
    ...(name.includes('{thread_id}') ? ['404', '422'] : []),
    ...(requestBody === undefined ? [] : ['413', '415', '422']),
    '503',
    'default',
  ];
}

it('[http.openapi.operations] errors have their bodies', () => {
  for (const operation of operations) {
    const { name, responses } = operation;
    expect([name, Object.keys(responses)]).toEqual([
      name,
      expect.arrayContaining([...expectedErrors(operation)]),
    ]);
    const bare = Object.entries(responses)
      .filter(([status, answer]) => status >= '400' && answer.content?.['application/json'] === undefined)
      .map(([status]) => status);
    expect([name, bare]).toEqual([name, []]);
  }
  const ofRuns = operations.find((it) => it.operationId === 'graphCreateRun')?.responses ?? {};
  expect(Object.keys(ofRuns)).toEqual(expect.arrayContaining(['404', '409', '429', '507']));
});

/** Returns the schema of the response to an operation, with its references. */
function answerOf(operationId: string): z.ZodType {
  const operation = operations.find((it) => it.operationId === operationId);
  const schema = operation?.responses['200']?.content?.['application/json']?.schema;
  const text = JSON.stringify({ ...schema, $defs: components });
  return z.fromJSONSchema(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')));
}

it('[http.openapi.operations] state, history and final values match their schemas', async () => {
  const ann = await service.user('ann');
  for (const [prefix, word] of [
    ['/api', ''],
    ['/api/graph', 'graph'],
  ] as const) {
    const id = (name: string) =>
      word === '' ? name : `graph${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const thread = `${prefix}/threads/${await newThread(ann)}`;
    const empty = await jsonOf(ann.get(`${thread}/state`));
    const waited = await jsonOf(ann.post(`${thread}/runs/wait`, question('hello')));
    const shown = await jsonOf(ann.get(`${thread}/state`));
    const history = await jsonOf(ann.post(`${thread}/history`, {}));
    const state = answerOf(id('getState'));
    state.parse(empty);
    answerOf(id('waitForRun')).parse(waited);
    state.parse(shown);
    answerOf(id('searchHistory')).parse(history);
    expect(state.safeParse({ ...shown, next: 'model' }).success).toBe(false);
    expect(state.safeParse({ ...shown, checkpoint: {} }).success).toBe(false);
  }
  const started = operations.find((it) => it.operationId === 'createRun')?.responses['200']?.content ?? {};
  expect(Object.keys(started)).toEqual(['application/json', 'text/event-stream']);
});

/** Returns a schema and every schema inside it. */
function partsOf(schema: unknown): readonly object[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, anyOf = [], allOf = [], prefixItems = [], ...rest } = partsSchema.parse(schema);
  const inner = [...Object.values(properties), ...anyOf, ...allOf, ...prefixItems, rest.items];
  return [schema, ...[...inner, rest.additionalProperties].flatMap(partsOf)];
}
const partsSchema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
  prefixItems: z.array(z.unknown()).optional(),
  items: z.unknown().optional(),
  additionalProperties: z.unknown().optional(),
});

const contents = () =>
  operations.flatMap(({ name, requestBody, responses }) =>
    [requestBody?.content, ...Object.values(responses).map(({ content }) => content)].flatMap((content) =>
      Object.entries(content ?? {}).map(([type, it]) => ({ at: `${name} ${type}`, ...it })),
    ),
  );

it('[http.openapi.examples] every body and every JSON response has a valid example', () => {
  const problemWith = createSchemaCheck(components);
  const different = new Map(contents().map((it) => [JSON.stringify([it.schema, it.example]), it]));
  const problems = [...different.values()].flatMap(({ at, schema, example }) => {
    const isBytes = JSON.stringify(schema).includes('"format":"binary"');
    if (isBytes) return [];
    const problem = example === undefined ? 'no example' : problemWith(schema, example);
    return problem === undefined ? [] : [`${at}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

it('[http.openapi.examples] every schema and every part of one can be satisfied', () => {
  const problemWith = createSchemaCheck(components);
  const known = new Map(Object.entries(components));
  const whole = [
    ...known.values(),
    ...contents().map(({ schema }) => schema),
    ...operations.flatMap(({ parameters }) => parameters.map(({ schema }) => schema)),
  ];
  const parts = new Map(whole.flatMap(partsOf).map((part) => [JSON.stringify(part), part]));
  expect(parts.size).toBeGreaterThan(300);
  const problems = [...parts].flatMap(([text, part]) => {
    const problem = problemWith(part, exampleOf(part, known));
    return problem === undefined ? [] : [`${text.slice(0, 200)}: ${problem}`];
  });
  expect(problems).toEqual([]);
});

it('[http.openapi.configurable] lists the choices that a run reads', () => {
  const { config, context } = z
    .looseObject({ properties: z.record(z.string(), z.record(z.string(), z.unknown())) })
    .parse(components.RunRequest).properties;
  const choices = {
    type: 'object',
    additionalProperties: true,
    properties: {
      model_name: { type: 'string', description: expect.any(String) },
      thinking_enabled: { type: 'boolean', description: expect.any(String) },
      is_plan_mode: { type: 'boolean', description: expect.any(String) },
      subagent_enabled: { type: 'boolean', description: expect.any(String) },
      restore_files: { type: 'boolean', description: expect.any(String) },
    },
  };
  expect(config).toMatchObject({ properties: { configurable: choices } });
  expect(context).toMatchObject(choices);
});

it('[http.openapi.answers] a response that the document does not have fails the test that receives it', async () => {
  const contract = await answerContract();
  const held = (body: unknown, status: number) =>
    contract.hold({ method: 'GET', url: '/api/models' }, Response.json(body, { status }));
  await expect(held({ detail: 'no' }, 418)).rejects.toThrow('GET /api/models, 418: the document has no such');
  await expect(held({ no: 'detail' }, 401)).rejects.toThrow('not what the document says');
  await expect((await held({ models: 7 }, 200)).json()).rejects.toThrow('/models must be array');
  await expect((await held({ models: [] }, 200)).json()).resolves.toEqual({ models: [] });
});

it('[http.openapi.answers] so does a response of another process, to any caller of fetch', async () => {
  const other = createServer((request, response) => {
    const isList = request.url === '/api/models';
    response.writeHead(200, { 'content-type': 'application/json' }).end(isList ? '{"models":7}' : '{}');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  await expect(fetch(`${url}/api/models`).then((it) => it.json())).rejects.toThrow('/models must be array');
  await expect(fetch(new Request(`${url}/api/models`)).then((it) => it.text())).rejects.toThrow('/models');
  await expect(fetch(`${url}/v1/models`).then((it) => it.json())).resolves.toEqual({});
  other.close();
});

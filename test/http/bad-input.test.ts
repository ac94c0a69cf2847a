// Requests that no client should send, to every route that reads a body.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeKey, withKey } from '../support/api-key.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

const ROUTES: readonly (readonly [string, string])[] = [
  ['POST', '/api/v1/auth/register'],
  ['POST', '/api/v1/auth/initialize'],
  ['POST', '/api/v1/auth/change-password'],
  ['POST', '/api/v1/auth/change-email'],
  ...['/api', '/api/graph'].flatMap((prefix): [string, string][] => [
    ['POST', `${prefix}/threads`],
    ['POST', `${prefix}/threads/search`],
    ['POST', `${prefix}/threads/count`],
    ['PATCH', `${prefix}/threads/mine`],
  ]),
];

/** Routes that read an absent body as `{}`. */
const OPTIONAL = /\/threads(?:\/search|\/count)?$/;

/** Bodies that are invalid for every route. */
const BAD_BODIES: Readonly<Record<string, string | Uint8Array>> = {
  'no body': '',
  'white space': '  \n ',
  null: 'null',
  'an empty array': '[]',
  'an array of objects': '[{"metadata":{}}]',
  'a string': '"text"',
  'a number': '7',
  true: 'true',
  'half an object': '{"metadata":',
  'two values': '{}{}',
  'a comment': '{/* */}',
  NaN: '{"metadata":{"a":NaN},"email":NaN}',
  'a number beyond a double': '{"metadata":{"a":1e999}}',
  'a lone surrogate': '{"metadata":{"a":"\\ud800"}}',
  'a lone surrogate in a key': '{"metadata":{"\\udfff":1}}',
  'invalid UTF-8': new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'arrays 100,000 deep': '['.repeat(100_000),
  'arrays 100,000 deep and closed': `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  'objects 100,000 deep': `{"metadata":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`,
  'metadata 201 deep': `{"metadata":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
};

/** Fields of the wrong type, for every route that reads them. */
const BAD_FIELDS: readonly object[] = [
  { email: 7, metadata: 'text', current_password: [] },
  { email: { a: 1 }, metadata: [], current_password: {} },
  { email: true, metadata: 7, current_password: 1 },
];

let service: TestApp;
let ann: HttpClient;
beforeAll(async () => {
  service = await openTestApp();
  ann = await service.user();
  await ann.post('/api/threads', { thread_id: 'mine' });
});
afterAll(() => service.close());

describe.each(ROUTES)('%s %s', (method, path) => {
  const wrong = Object.entries(BAD_BODIES).filter(([, body]) => body !== '' || !OPTIONAL.test(path));

  it.each(wrong)('[http.bad-input] [http.errors.validation] %s is 422', async (_, body) => {
    const answer = await ann.send(method, path, { body: body as string, headers: JSON_TYPE });
    expect(answer.status).toBe(422);
    const issues = await detailOf<{ loc: unknown; msg: unknown; type: unknown }[]>(answer);
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) {
      expect(Object.keys(issue).sort()).toEqual(['loc', 'msg', 'type']);
      expect(issue.loc).toEqual(expect.arrayContaining(['body']));
    }
  });

  it.each(BAD_FIELDS)('[http.bad-input] fields of the wrong type are 422: %j', async (fields) => {
    const answer = await ann.send(method, path, { body: JSON.stringify(fields), headers: JSON_TYPE });
    expect(answer.status).toBe(422);
  });

  it('[http.bad-input.large] a large body is 413, declared or not', async () => {
    const declared = { ...JSON_TYPE, 'content-length': String(100 * 1024 * 1024) };
    expect((await ann.send(method, path, { body: '{}', headers: declared })).status).toBe(413);
    const body = JSON.stringify({ metadata: { a: 'x'.repeat(5 * 1024 * 1024) } });
    expect((await ann.send(method, path, { body, headers: JSON_TYPE })).status).toBe(413);
  });

  it.each(['text/plain', 'multipart/form-data; boundary=x', 'application/x-www-form-urlencoded', 'nonsense'])(
    '[hostile.S10] [http.bad-input.type] the content type %s is 415',
    async (type) => {
      const answer = await ann.send(method, path, { body: '{}', headers: { 'content-type': type } });
      expect(answer.status).toBe(415);
    },
  );

  it('returns no stack, no path of the machine, and nothing of the request', async () => {
    const body = JSON.stringify({ metadata: 'CANARY', email: 'CANARY', current_password: ['CANARY'] });
    const text = await (await ann.send(method, path, { body, headers: JSON_TYPE })).text();
    expect(text).not.toMatch(/CANARY|node_modules|\.ts|at /);
  });
});

describe('the sign-in form', () => {
  const path = '/api/v1/auth/login/local';
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

  it.each([
    '',
    '=',
    '&&&',
    'username',
    'username=a',
    'password=a',
    '%ff=%fe',
    'username=&password=',
    '[]',
    'null',
  ])('[http.bad-input] the form %j is 422', async (body) => {
    const answer = await service.client().send('POST', path, { body, headers: FORM });
    expect(answer.status).toBe(422);
  });

  it('[http.bad-input] a broken multipart form is 422 and a huge one 413', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    expect((await service.client().send('POST', path, { body: '--x\r\n', headers })).status).toBe(422);
    expect(
      (await service.client().send('POST', path, { body: 'a'.repeat(70_000), headers: FORM })).status,
    ).toBe(413);
  });

  it('[http.bad-input] a file in place of a field is a missing field', async () => {
    const form = new FormData();
    form.set('username', new Blob(['ann']), 'name.txt');
    form.set('password', 'a');
    expect((await service.client().send('POST', path, { body: form })).status).toBe(422);
  });
});

describe('accepted input', () => {
  const create = (body: string, headers: Record<string, string> = JSON_TYPE) =>
    ann.send('POST', '/api/threads', { body, headers });

  it('[http.bad-input.keys] an object with a duplicate key is refused, at every depth', async () => {
    const texts = [
      '{"metadata":{"a":1},"metadata":{"b":2}}',
      '{"metadata":{"a":2,"a":2}}',
      '{"metadata":{"a":1,"\\u0061":2}}',
      '{"metadata":{"list":[{"x":{"y":1,"y":{}}}]}}',
    ];
    for (const text of texts) expect((await create(text)).status).toBe(422);
    const colons = await create('{"metadata":{"a:b":"c:d","e":[":",{"f":"\\":"}]}}');
    expect(colons.status).toBe(200);
  });

  it('[http.bad-input.keys] __proto__ is dropped everywhere', async () => {
    const text =
      '{"__proto__":{"metadata":{"x":1}},"metadata":{"\\u005f_proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"list":[{"__proto__":1,"b":2}]}}';
    const answer = await create(text);
    expect(answer.status).toBe(200);
    const { metadata } = await bodyOf<{ metadata: object }>(answer);
    expect(metadata).toEqual({ constructor: { prototype: { polluted: 1 } }, list: [{ b: 2 }] });
    expect(Object.keys({})).toEqual([]);
    expect('polluted' in {}).toBe(false);
  });

  it.each(['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/merge-patch+json'])(
    '[http.bad-input.type] the content type %s',
    async (type) => {
      expect((await create('{}', { 'content-type': type })).status).toBe(200);
    },
  );

  it('whole surrogate pairs, a byte order mark, brackets inside of texts, and depth within the limit', async () => {
    expect((await create('\ufeff{"metadata":{"a":"\\ud83e\\udd8a 🦊"}}')).status).toBe(200);
    expect((await create(JSON.stringify({ metadata: { a: '[{"'.repeat(1000) } }))).status).toBe(200);
    expect((await create(`{"metadata":${'{"a":'.repeat(198)}1${'}'.repeat(198)}}`)).status).toBe(200);
  });
});

it('[http.bad-input.type] a JSON body with an API key may have any content type', async () => {
  const { key } = await makeKey(ann);
  const program = withKey(service.app, key);
  for (const type of ['text/plain;charset=UTF-8', 'application/octet-stream', 'nonsense']) {
    const answer = await program.send('POST', '/api/graph/threads', {
      body: '{"metadata":{"from":"a passthrough"}}',
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(200);
    expect((await bodyOf<{ metadata: object }>(answer)).metadata).toEqual({ from: 'a passthrough' });
  }
});

it('[http.bad-input] after all that the service runs and has logged no failure', async () => {
  expect((await service.client().get('/health')).status).toBe(200);
  expect(service.lines.filter((line) => line.level === 'error' || line.level === 'warn')).toEqual([]);
});

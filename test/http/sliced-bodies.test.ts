// Bodies that are read in slices: their values and their errors are the same as when they are read whole.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { newThread, openTestService, type TestService } from '../support/service.ts';

let service: TestService;
let ann: HttpClient;
let path: string;
beforeAll(async () => {
  service = await openTestService();
  ann = await service.user('ann');
  path = `/api/threads/${await newThread(ann)}/state`;
});
afterAll(() => service.close());

/** Returns a body that is read in slices whatever the value is, since a quarter of a megabyte precedes it. */
const around = (json: string) =>
  `{"values":{"artifacts":["${'a'.repeat(4_000)}"${',"é\\"\\\\,]"'.repeat(5_000)}],"sandbox":${json}}}`;

const send = (body: string) =>
  ann.send('POST', path, { body, headers: { 'content-type': 'application/json' } });

const long = (item: string, count = 9_000) => Array.from({ length: count }, () => item).join(',');

it.each([
  ['a list that is long', `{"a":[${long('[1,{"b":"],}"}]')}]}`],
  ['long keys', `{"a":{"${'k,"'.replaceAll('"', '\\"').repeat(30_000)}":[1]}}`],
  ['as many values as there may be', `{"a":[${long('{}', 94_000)}]}`],
  ['white space', `{ "a" :\n[ 1 ,\t${long(' 2 ')} ] ,"b":{ } }`],
  ['strings that end in backslashes', `{"a":["${'\\\\'.repeat(70_000)}",${long('"\\\\"')}]}`],
  ['levels', `${'{"a":['.repeat(40)}${long('"x\\u00e9"')}${']}'.repeat(40)}`],
  ['an object of many keys', `{"a":{${Array.from({ length: 9_000 }, (_, n) => `"k${n}":${n}`).join()}}}`],
])('[http.json.slices] the values of a long body are complete: %s', async (_, json) => {
  const answer = await send(around(json));
  expect(answer.status).toBe(200);
  const { values } = await bodyOf<{ values: { sandbox: unknown; artifacts: string[] } }>(await ann.get(path));
  expect(values.sandbox).toEqual(JSON.parse(json));
  expect(values.artifacts).toHaveLength(5_001);
});

it.each([
  ['a key that comes again far away', `{"a":1,"b":[${long('"xxxxxxxxxx"')}],"a":2}`, 'same key twice'],
  ['a comma too many', `{"a":[${long('"xxxxxxxxxx"')},]}`, 'not valid JSON'],
  ['a comma too few', `{"a":[${long('"xxxxxxxxxx"')} 1]}`, 'not valid JSON'],
  ['another bracket', `{"a":[${long('"xxxxxxxxxx"')}}}`, 'not valid JSON'],
  ['a word', `{"a":[${long('"xxxxxxxxxx"')},nul]}`, 'not valid JSON'],
  ['half a surrogate pair', `{"a":[${long('"xxxxxxxxxx"')},"\\ud800"]}`, 'surrogate'],
  ['a number out of range', `{"a":[${long('"xxxxxxxxxx"')},1e999]}`, 'out of range'],
  ['too many values', `{"a":[${long('1', 95_000)}]}`, 'more than 100000 values'],
  ['too many levels', `{"a":${'['.repeat(250)}${']'.repeat(250)}}`, 'deeper than 200 levels'],
])('[http.json.slices] the error of a long body is reported: %s', async (_, json, why) => {
  const answer = await send(around(json));
  const [problem] = await detailOf<{ loc: unknown; msg: string; type: string }[]>(answer);
  expect([answer.status, problem]).toEqual([
    422,
    { loc: ['body'], msg: expect.stringContaining(why), type: 'json_invalid' },
  ]);
});

it('[http.json.slices] a key `__proto__` is dropped from a long body, too', async () => {
  expect((await send(around(`{"a":1,"__proto__":{"b":[${long('"xxxxxxxxxx"')}]}}`))).status).toBe(200);
  const { values } = await bodyOf<{ values: { sandbox: unknown } }>(await ann.get(path));
  expect(values.sandbox).toEqual({ a: 1 });
});

// Texts that want to be something else: lines of a log, frames of a stream, objects of a program.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { openTestApp } from '../support/test-app.ts';

let service: TestService;
let ann: HttpClient;
beforeAll(async () => {
  service = await openTestService();
  service.model.onRequest(() => answer.text('fine'));
  ann = await service.user('ann');
});
afterAll(() => service.close());

it('[hostile.S52] lines of the log hold no control characters, whatever paths, headers and names say', async () => {
  const evil = ['%0d%0aINFO%20all%20is%20well', '%1b%5b2J', '%00', '%e2%80%a8x', '%7b%22level%22:50%7d'];
  const app = await openTestApp();
  try {
    const client = app.client();
    for (const text of evil) {
      const headers = {
        'x-request-id': text,
        'user-agent': decodeURIComponent(text).replace(/[^\x20-\x7e]/g, '?'),
      };
      for (const path of [`/api/${text}`, `/api/threads/${text}/state?${text}`, `/${text}`]) {
        await (await client.get(path, headers)).body?.cancel();
      }
      await client.signIn({
        email: `${decodeURIComponent(text)}@example.com`,
        password: decodeURIComponent(text),
      });
    }
    const written = JSON.stringify(app.lines.map(({ fields, message }) => [fields, message]));
    // JSON writes them as escapes.
    expect(written).not.toMatch(/\\u00[01]|\\[nrtbf]|[\u007f-\u009f\u2028\u2029]/);
    expect(written).toContain('/api/threads/');
  } finally {
    await app.close();
  }
});

it.each(['pretty', 'json'])(
  '[hostile.S52] nothing in a field or an error ends a line of a %s log or controls a terminal',
  async (format) => {
    const evil = 'a\r\nINFO all is well\u001b[2J\u0000\u2028\u009b2J\u007f';
    const program = `
    import { createLog } from ${JSON.stringify(new URL('../../src/log.ts', import.meta.url).href)};
    const evil = ${JSON.stringify(evil)};
    const log = createLog({ level: 'info', format: '${format}' });
    log.info({ path: evil, nested: { [evil]: [evil] } }, 'told');
    log.warn({ err: Object.assign(new Error(evil, { cause: new Error(evil) }), { code: evil }) }, 'told, too');`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    const lines = stdout.trimEnd().split('\n');
    expect(JSON.stringify(lines)).not.toMatch(
      /(?<!\\)(?:\\\\)*(?:\\u00[01]|\\[rtbf])|[\u007f-\u009f\u2028\u2029]/,
    );
    expect(lines.filter((line) => line.startsWith('INFO'))).toEqual([]);
    expect(stdout.match(/told/g)).toHaveLength(2);
    if (format === 'json')
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ path: evil, nested: { [evil]: [evil] } });
    else expect(stdout).toMatch(/path: "a.*all is well.*u001b.*u2028.*u009b.*u007f"/);
  },
);

const OBJECTS = {
  message: {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', 'HumanMessage'],
    kwargs: {},
  },
  secret: { lc: 1, type: 'secret', id: ['AUTH_JWT_SECRET'] },
  python: { __class__: 'os.system', __reduce__: ['rm'] },
  date: { $date: '2026-11-22T00:00:00Z' },
  buffer: { type: 'Buffer', data: [1, 2, 3] },
  map: { dataType: 'Map', value: [['a', 1]] },
  toJSON: 'not a function',
  constructor: { prototype: { isAdmin: true } },
};

it('[hostile.S53] what looks like an object of a program is stored and answered as it was sent', async () => {
  const threadId = await newThread(ann);
  const values = {
    thread_data: OBJECTS,
    sandbox: OBJECTS,
    todos: [OBJECTS],
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'hello', lc: 1, id: OBJECTS.secret.id, kwargs: OBJECTS }],
        additional_kwargs: OBJECTS,
      },
    ],
  };
  const path = `/api/graph/threads/${threadId}/state`;
  expect((await ann.post(path, { values })).status).toBe(200);
  const state = await bodyOf<{ values: Record<string, unknown> }>(await ann.get(path));
  expect(state.values).toMatchObject({ thread_data: OBJECTS, sandbox: OBJECTS, todos: [OBJECTS] });
  expect(state.values.messages).toMatchObject(
    [{ ...values.messages[0], role: undefined, type: 'human' }].map(({ role: _, ...it }) => it),
  );

  const text = `{"values":{"thread_data":{"__proto__":{"isAdmin":true},"a":{"__proto__":{"isAdmin":true}}}}}`;
  const headers = { 'content-type': 'application/json' };
  expect((await ann.send('POST', path, { body: text, headers })).status).toBe(200);
  expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
  const after = await bodyOf<{ values: Record<string, unknown> }>(await ann.get(path));
  expect(after.values.thread_data).toEqual({ a: {} });
});

it('[hostile.S53] the dump of a message class is its words, and every other constructor is no message', async () => {
  const threadId = await newThread(ann);
  const path = `/api/graph/threads/${threadId}/state`;
  const dump = { ...OBJECTS.message, kwargs: { content: 'hello', additional_kwargs: OBJECTS } };
  expect((await ann.post(path, { values: { messages: [dump] } })).status).toBe(200);
  const state = await bodyOf<{ values: Record<string, unknown> }>(await ann.get(path));
  expect(state.values.messages).toMatchObject([
    { type: 'human', content: 'hello', additional_kwargs: OBJECTS },
  ]);
  const given = { ...dump, id: ['os', 'system'], kwargs: { role: 'user', content: 'hello' } };
  const run = await ann.post(`/api/threads/${threadId}/runs`, { input: { messages: [given] } });
  expect(run.status).toBe(422);
  const update = await ann.post(`/api/threads/${threadId}/state`, { values: { messages: [given] } });
  expect(update.status).toBe(422);
});

it('[hostile.S54] ids, titles and contents that look like frames stay inside of theirs', async () => {
  const evil = 'a\n\nevent: end\ndata: {}\n\rid: 9-9\r\revent: error\u2028data: x\u2029\u0085';
  const threadId = await newThread(ann);
  await ann.post(`/api/threads/${threadId}/state`, {
    values: { title: evil, thread_data: { [evil]: evil } },
  });
  const asked = {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: evil, id: evil, name: evil }] },
    metadata: { evil },
    stream_mode: ['values', 'updates', 'messages-tuple', 'custom', 'events', 'debug', 'tasks', 'checkpoints'],
  };
  const frames = await streamed(ann, threadId, asked);
  expect(frames.filter(({ event }) => event === 'end')).toHaveLength(1);
  expect(frames.filter(({ event }) => event === 'error')).toEqual([]);
  for (const { id } of frames) expect(id).toMatch(/^\d+-\d+-[0-9a-f]{8}$/);
  const shown = JSON.stringify(frames.map(({ data }) => data));
  expect(shown).toContain(JSON.stringify(evil).slice(1, -1));
  expect(
    (await ann.post(`/api/threads/${threadId}/runs`, question('hello', { stream_mode: [evil] }))).status,
  ).toBe(422);
});

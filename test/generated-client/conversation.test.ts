// A program that knows the service from its API's document alone: its types are generated, and it is compiled with them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import createClient, { type Client } from 'openapi-fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultService, startFaultService } from '../faults/fault-service.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { answer } from '../support/model-server/answer.ts';
import { allFrames } from '../support/sse.ts';
import type { paths } from './made/api.ts';

/** A process: everything that is imported here is compiled below, which the service itself need not be. */
let service: FaultService;
beforeAll(async () => {
  service = await startFaultService();
  service.model.onRequest(({ lastUserText }) => answer.text(`re ${lastUserText}`));
});
afterAll(() => service.remove());

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** What the program says, if it ends well. */
async function said(args: readonly string[], input = ''): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  child.stdin.end(input);
  const [out, errors, [code]] = await output;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${out}${errors}`);
  return out;
}

/** Cookies and the CSRF token are the browser's part. */
function generatedClient(browser: HttpClient): Client<paths> {
  return createClient<paths>({
    baseUrl: 'http://service.test',
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const body = await request.text();
      const headers = Object.fromEntries(request.headers);
      return browser.send(request.method, pathname + search, { headers, ...(body !== '' && { body }) });
    },
  });
}

it('[http.openapi.client] the types that are generated from the document compile, and so does what uses them', async () => {
  const document = await (await service.client.get('/openapi.json')).text();
  const types = await said([pathOf('generate.ts')], document);
  await mkdir(pathOf('made'), { recursive: true });
  await writeFile(pathOf('made/api.ts'), types);
  await said([pathOf('../../node_modules/typescript/bin/tsc'), '-p', pathOf('.')]);
});

it('[http.openapi.client] a generated client has a conversation', async () => {
  const api = generatedClient(
    createHttpClient({ request: (path, init) => fetch(`${service.process.url}${path}`, init) }),
  );
  const email = 'generated@example.com';
  const password = 'correct horse battery';
  const account = await api.POST('/api/v1/auth/register', { body: { email, password } });
  expect(account.data?.email).toBe(email);
  const signedIn = await api.POST('/api/v1/auth/login/local', {
    body: { username: email, password },
    bodySerializer: (body) => new URLSearchParams({ username: body.username, password: body.password }),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  expect(signedIn.response.status).toBe(200);

  const thread = await api.POST('/api/graph/threads', { body: { metadata: { project: 'tea' } } });
  const path = { thread_id: thread.data?.thread_id ?? '' };
  const asked = (content: string) => ({
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content }] },
  });
  const configurable = { model_name: 'scripted', is_plan_mode: false };
  const waited = await api.POST('/api/graph/threads/{thread_id}/runs/wait', {
    params: { path },
    body: { ...asked('Good morning'), config: { configurable } },
  });
  expect(waited.data?.messages?.map(({ type }) => type)).toEqual(['human', 'ai']);
  const streamed = await api.POST('/api/graph/threads/{thread_id}/runs/stream', {
    params: { path },
    body: { ...asked('And good night'), stream_mode: ['values'] },
    parseAs: 'stream',
  });
  const frames = await allFrames(new Response(streamed.data));
  expect(frames.map(({ event }) => event)).toEqual(expect.arrayContaining(['metadata', 'values', 'end']));

  const state = await api.GET('/api/graph/threads/{thread_id}/state', { params: { path } });
  expect(state.data?.values.messages?.length).toBe(4);
  expect(state.data?.checkpoint?.thread_id).toBe(path.thread_id);
  const history = await api.POST('/api/graph/threads/{thread_id}/history', {
    params: { path },
    body: { limit: 2 },
  });
  expect(history.data?.map(({ checkpoint }) => checkpoint?.checkpoint_id).at(0)).toBe(
    state.data?.checkpoint?.checkpoint_id,
  );
  const runs = await api.GET('/api/graph/threads/{thread_id}/runs', {
    params: { path, query: { limit: 10 } },
  });
  const list = Array.isArray(runs.data) ? runs.data : (runs.data?.runs ?? []);
  expect(list.map(({ status }) => status)).toEqual(['success', 'success']);
  const missing = await api.GET('/api/graph/threads/{thread_id}', {
    params: { path: { thread_id: 'none' } },
  });
  expect(missing.error?.detail).toEqual(expect.any(String));
});

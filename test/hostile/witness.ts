// A person and a model of a service, and everything that either of them was ever shown.
import { join } from 'node:path';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { answer, type ToolCallAnswer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, TEST_PASSWORD, type TestService } from '../support/service.ts';
import { sendFiles } from '../support/upload.ts';

interface Shown {
  readonly where: string;
  readonly text: string;
}

export interface Witness {
  readonly test: TestService;
  readonly client: HttpClient;
  readonly threadId: string;
  /** All answers with their headers, streams included, and what the model was asked. */
  readonly seen: readonly Shown[];
  /** The folder with the files of the thread. */
  files(): Promise<string>;
  /** A run in which the model makes these calls, streamed in every mode. */
  call(calls: readonly ToolCallAnswer[]): Promise<void>;
  /** Every route that reads, and those that write files, with what they accept and what they refuse. */
  askEverything(): Promise<void>;
  close(): Promise<void>;
}

const MODES = ['values', 'updates', 'messages-tuple', 'custom', 'tasks'];

export async function openWitness(options: {
  readonly dataHome: string;
  readonly config: Record<string, unknown>;
}): Promise<Witness> {
  const test = await openTestService({ ...options, scripted: { supports_vision: true } });
  const answered: Shown[] = [];
  const client = createHttpClient({ request: (path, init) => witnessed(test, answered, { path, init }) });
  await client.register({ email: 'ann@example.com', password: TEST_PASSWORD });
  const { id } = await jsonOf<{ id: string }>(client.get('/api/v1/auth/me'));
  const threadId = await newThread(client);
  test.model.onRequest(() => answer.text('done'));
  let calls = 0;
  return {
    test,
    client,
    threadId,
    get seen() {
      const prompts = test.model.requests.map(({ body }) => ({
        where: 'prompt',
        text: JSON.stringify(body),
      }));
      return [...answered, ...prompts];
    },
    files: async () => join(options.dataHome, 'users', id, 'threads', threadId, 'user-data'),
    async call(wanted) {
      test.model.enqueue(answer.toolCalls(wanted.map((it) => ({ ...it, id: `call_${++calls}` }))));
      const asked = question('go', { stream_mode: MODES, stream_subgraphs: true });
      await (await client.post(`/api/graph/threads/${threadId}/runs/stream`, asked)).text();
    },
    askEverything: () => askEverything(client, threadId),
    close: () => test.close(),
  };
}

async function witnessed(
  { service }: TestService,
  answered: Shown[],
  { path, init }: { readonly path: string; readonly init: RequestInit | undefined },
): Promise<Response> {
  const response = await service.app.request(path, init);
  const bytes = path === ENDLESS ? await beginningOf(response) : new Uint8Array(await response.arrayBuffer());
  const text = Buffer.from(bytes).toString('latin1');
  const head = JSON.stringify([...response.headers]);
  answered.push({ where: `${init?.method} ${path} ${response.status}`, text: `${head}\n${text}` });
  return new Response(response.status === 204 || response.status === 304 ? null : text, response);
}

/** What it tells first is that it has begun; then it waits for what happens. */
const ENDLESS = '/api/thread-changes';

async function beginningOf({ body }: Response): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body?.getReader();
  const read = await reader?.read();
  await reader?.cancel();
  return read?.value ?? new Uint8Array();
}

async function askEverything(client: HttpClient, threadId: string): Promise<void> {
  const { runs } = await jsonOf<{ runs: { run_id: string }[] }>(
    client.get(`/api/graph/threads/${threadId}/runs`),
  );
  const { paths } = await jsonOf<{ paths: Record<string, object> }>(client.get('/openapi.json'));
  const reading = Object.keys(paths).filter((path) => 'get' in (paths[path] ?? {}));
  const runId = runs[0]?.run_id ?? '';
  const filled = reading.map((path) => path.replace('{thread_id}', threadId).replace('{run_id}', runId));
  for (const path of filled) if (!path.includes('{')) await client.get(path);
  await askForFiles(client, threadId);
  await askToWrite(client, threadId, runId);
}

async function askForFiles(client: HttpClient, threadId: string): Promise<void> {
  const names = [
    'a.txt',
    'nothing',
    'link',
    'twin',
    'folder',
    'a.txt/below',
    'x'.repeat(255),
    '%2e%2e/x',
    'x.skill/y',
  ];
  for (const name of names) {
    const path = `/api/threads/${threadId}/artifacts/mnt/user-data/workspace/${name}`;
    await client.get(path);
    await client.put(path, { content: 'x' });
    await client.delete(`/api/threads/${threadId}/uploads/${name}`);
  }
}

async function askToWrite(client: HttpClient, threadId: string, runId: string): Promise<void> {
  for (const name of [
    'plain.txt',
    'broken.docx',
    'broken.pdf',
    'broken.xlsx',
    'broken.doc',
    'x'.repeat(300),
    '..',
  ])
    await sendFiles(client, threadId, [{ name, content: 'no document' }]);
  await client.get(`/api/threads/${threadId}/uploads`);
  for (const asked of [{ run_id: runId }, { run_id: 'none' }, { point: 1 }, { point: 999_999 }])
    await client.post(`/api/threads/${threadId}/workspace/restore`, asked);
  const zip = { 'content-type': 'application/zip' };
  for (const path of ['/api/account/import', '/api/threads/import'])
    await client.send('POST', path, { body: 'no zip', headers: zip });
  await client.post(`/api/graph/threads/${threadId}/copy`, {});
  await client.post(`/api/graph/threads/${threadId}/history`, { limit: 100 });
  await client.post('/api/search', { query: 'go' });
}

// Work of several users at the same time, through the front door: whose turn it is, and what is refused.
import { afterEach, expect, it } from 'vitest';
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { sendFiles } from '../support/upload.ts';

let test: TestService;
afterEach(() => test.close());

const calls = (name: string, args: readonly Record<string, unknown>[]) =>
  answer.toolCalls(args.map((it, index) => ({ id: `call-${index}`, name, args: it })));

/** Runs until somebody hands in the file `go`. */
const HELD = { command: 'until [ -e /mnt/user-data/uploads/go ]; do sleep 0.05; done; echo held' };
const go = (client: HttpClient, threadId: string) =>
  sendFiles(client, threadId, [{ name: 'go', content: 'go' }]);

async function results(client: HttpClient, threadId: string): Promise<readonly string[]> {
  const { values } = await jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  return values.messages.filter(({ type }) => type === 'tool').map(({ content }) => String(content));
}

it('[fair.commands] a user with long commands leaves places for others; a command that may not wait gets the reason', async () => {
  const commands = { at_once: 2, per_user: 1, waiting_per_user: 1 };
  test = await openTestService({ config: { sandbox: { commands, timeout_seconds: 60 } } });
  const [ann, ben] = [await test.user(), await test.user()];
  const [greedy, modest] = [await newThread(ann), await newThread(ben)];
  test.model.enqueue(calls('bash', [HELD, { command: 'echo second' }, { command: 'echo third' }]));
  const long = streamed(ann, greedy, question('work'));
  await test.model.requested(1);
  test.model.enqueue(calls('bash', [{ command: 'echo quick' }]), answer.text('done'), answer.text('done'));
  await streamed(ben, modest, question('work'));
  expect(await results(ben, modest)).toEqual(['quick']);
  await go(ann, greedy);
  await long;
  expect(await results(ann, greedy)).toEqual([
    'held',
    'second',
    expect.stringMatching(
      /^Error: Too many of your commands are waiting already\. Try again in (?:a second|\d+ seconds)\.$/,
    ),
  ]);
});

it('[fair.searches] searches of files take turns, too', async () => {
  const processes = { at_once: 1, per_user: 1, waiting_per_user: 0 };
  test = await openTestService({ config: { tools: { processes } } });
  const client = await test.user();
  const threadId = await newThread(client);
  const search = { pattern: '*.md', path: '/mnt/user-data/workspace' };
  test.model.enqueue(calls('glob', [search, search]), answer.text('done'));
  await streamed(client, threadId, question('look'));
  expect(await results(client, threadId)).toEqual([
    'No files matched under /mnt/user-data/workspace',
    expect.stringMatching(/^Error: Too many of your searches are waiting already\. Try again in/),
  ]);
});

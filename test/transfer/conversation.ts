// A thread with everything that a package has to bring along.
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, question, streamed, type TestService } from '../support/service.ts';

const write = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/outputs/note.md', content: 'kept' },
};

/** Two turns, a tool call that writes a file, and a branch from the first turn. */
export async function branchedThread(test: TestService, client: HttpClient): Promise<string> {
  test.model.onRequest(({ body }) => {
    const messages = body.messages as readonly { readonly role: string; readonly content: string }[];
    const last = messages.at(-1);
    if (last?.role === 'tool') return answer.text('Written');
    return last?.content === 'note it' ? answer.toolCalls([write]) : answer.text(`You said ${last?.content}`);
  });
  const threadId = await newThread(client);
  await streamed(client, threadId, question('note it'));
  const before = await stateOf(client, threadId);
  await streamed(client, threadId, question('go on'));
  const { checkpoint } = before;
  await streamed(client, threadId, question('another way', { checkpoint }));
  return threadId;
}

export const stateOf = (client: HttpClient, threadId: string): Promise<StateJson> =>
  jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));

export const contentsOf = async (client: HttpClient, threadId: string): Promise<readonly string[]> =>
  (await stateOf(client, threadId)).values.messages.map(({ content }) => content);

export interface Imported {
  readonly threads: readonly { readonly source_thread_id: string; readonly thread_id: string }[];
  readonly runs: number;
  readonly checkpoints: number;
  readonly events: number;
  readonly feedback: number;
  readonly files: number;
  readonly items: number;
}

export function sendPackage(client: HttpClient, path: string, zip: Uint8Array): Promise<Response> {
  const body = Uint8Array.from(zip);
  return client.send('POST', path, { body, headers: { 'content-type': 'application/zip' } });
}

// A database with what people do: titles, tools, copies, questions that wait, runs that were cancelled or taken back.
import type { HttpClient } from '../support/http-client.ts';
import { jsonOf, type RunJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { framesOf } from '../support/sse.ts';

/** Ids. */
export interface Conversations {
  /** With a title, metadata and two runs, the second with a tool. */
  readonly thread: string;
  /** The first run of `thread`. */
  readonly run: string;
  /** Waits for an answer of the person. */
  readonly waiting: string;
  /** A copy of `thread`, without a step of its own. */
  readonly copy: string;
  /** Has messages that a branch left behind. */
  readonly branched: string;
  /** Has a message that was edited, and one that was removed. */
  readonly revised: string;
}

const LOOK = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };
const WRITE = {
  name: 'write_file',
  args: { description: 'note', path: '/mnt/user-data/workspace/a.md', content: 'x' },
};

export async function makeConversations(url: string): Promise<Conversations> {
  const test = await openTestService({
    config: { database: { url }, agent: { approvals: { write_file: 'always' } } },
  });
  const client = await test.user();
  const created = await jsonOf<{ thread_id: string }>(
    client.post('/api/threads', { metadata: { topic: 'trees', year: 2026 } }),
  );
  const thread = created.thread_id;
  test.model.enqueue(answer.text('An oak is a tree.'));
  await streamed(client, thread, question('What is an oak?'));
  await client.post(`/api/threads/${thread}/state`, { values: { title: 'About oaks' } });
  test.model.enqueue(answer.toolCalls([LOOK]), answer.text('There is nothing.'));
  await streamed(client, thread, question('Look at my files'));
  const copied = await jsonOf<{ thread_id: string }>(client.post(`/api/threads/${thread}/copy`));
  const runs = await jsonOf<RunJson[]>(client.get(`/api/graph/threads/${thread}/runs?limit=9`));
  const waiting = await waitingThread(test, client);
  await undoneRun(test, client);
  const branched = await branches(test, client);
  const revised = await revisedThread(test, client);
  await test.close();
  return { thread, run: runs.at(-1)?.run_id ?? '', waiting, copy: copied.thread_id, branched, revised };
}

async function waitingThread({ model }: TestService, client: HttpClient): Promise<string> {
  const threadId = await newThread(client);
  model.enqueue(answer.toolCalls([WRITE]));
  await streamed(client, threadId, question('Write it down'));
  return threadId;
}

/** A run that was taken back, on a thread that had state and on one that had none. */
async function undoneRun({ model }: TestService, client: HttpClient): Promise<void> {
  for (const answers of [[answer.text('kept')], []]) {
    const threadId = await newThread(client);
    for (const given of answers) {
      model.enqueue(given);
      await streamed(client, threadId, question('before'));
    }
    model.enqueue(answer.hangMidStream('some words'));
    const path = `/api/graph/threads/${threadId}/runs`;
    const stream = await client.post(
      `${path}/stream`,
      question('hello', { stream_mode: ['messages-tuple'] }),
    );
    for await (const { event } of framesOf(stream)) if (event === 'messages') break;
    const [run] = await jsonOf<RunJson[]>(client.get(`${path}?limit=1`));
    await client.post(`${path}/${run?.run_id}/cancel?wait=1&action=rollback`);
  }
}

/** Two answers to one question, a failed run, and a state that somebody set on an older one. */
async function branches({ model }: TestService, client: HttpClient): Promise<string> {
  const threadId = await newThread(client);
  const stateOf = () => jsonOf<StateJson>(client.get(`/api/graph/threads/${threadId}/state`));
  model.enqueue(answer.text('one'));
  await streamed(client, threadId, question('first'));
  const { checkpoint } = await stateOf();
  model.enqueue(answer.text('two'));
  await streamed(client, threadId, question('second'));
  const back = { checkpoint_id: checkpoint?.checkpoint_id };
  model.enqueue(answer.text('another two'));
  await streamed(client, threadId, question('second, again', back));
  await client.post(`/api/graph/threads/${threadId}/state`, { values: { todos: [] }, ...back });
  model.enqueue(...Array.from({ length: 4 }, () => answer.rateLimited('0')));
  await streamed(client, threadId, question('fails'));
  return threadId;
}

async function revisedThread({ model }: TestService, client: HttpClient): Promise<string> {
  const threadId = await newThread(client);
  model.enqueue(answer.text('Walruses get forty.'));
  await streamed(client, threadId, question('How old do walruses get?'));
  const state = `/api/threads/${threadId}/state`;
  const { values } = await jsonOf<StateJson>(client.get(state));
  const [asked, said] = values.messages;
  const messages = [
    { type: 'human', id: asked?.id, content: 'How old do narwhals get?' },
    { type: 'remove', id: said?.id },
  ];
  await client.post(state, { values: { messages } });
  return threadId;
}

// Runs that end before they are done leave a thread that anybody can go on with.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executeRun } from '../../src/runs/execute-run.ts';
import { RunAbort } from '../../src/runs/run-ending.ts';
import { NO_RUN_FILES } from '../../src/runs/run-files.ts';
import { createRunLog } from '../../src/runs/run-log.ts';
import { createRunTails } from '../../src/runs/run-tails.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { UNSCOPED } from '../../src/storage/storage.ts';
import { createThreadStates, NO_CHECKPOINT } from '../../src/storage/thread-states.ts';
import { jsonOf, type MessageJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG as log } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

const MODES = ['values', 'messages-tuple', 'updates'];
const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

describe('a run that stops between an answer and its tools', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService();
  });
  afterEach(() => test.close());

  it('[runs.closed-calls] gives every call a result that says so, in the state, the stream and the record', async () => {
    const client = await test.user();
    const threadId = await newThread(client);
    test.model.enqueue(answer.toolCalls([look, look]), answer.text('I see'));
    const body = question('go', { stream_mode: MODES, config: { recursion_limit: 1 } });
    const frames = await streamed(client, threadId, body);
    const path = `/api/graph/threads/${threadId}`;
    const { values, next } = await jsonOf<StateJson>(client.get(`${path}/state`));
    expect(next).toEqual([]);
    expect(values.messages.map(({ type, status }) => [type, status])).toEqual([
      ['human', undefined],
      ['ai', undefined],
      ['tool', 'error'],
      ['tool', 'error'],
    ]);
    const results = values.messages.slice(2);
    for (const { content } of results) expect(content).toBe('Error: the run ended before this tool was run.');
    const shown = dataOf<[MessageJson]>(frames, 'messages').flatMap(([it]) =>
      it.type === 'tool' ? [it.id] : [],
    );
    expect(shown).toEqual(results.map(({ id }) => id));
    expect(dataOf<object>(frames, 'updates').at(-1)).toMatchObject({ tools: { messages: [{}, {}] } });
    const { runEvents } = test.service.storage.as(UNSCOPED);
    const query = { cursor: { kind: 'newest' }, limit: 2 } as const;
    const recorded = (await runEvents.messages(threadId, query)).events;
    expect(recorded).toMatchObject(results.map(({ id }) => ({ eventType: 'tool_result', content: { id } })));
    await streamed(client, threadId, question('and now'));
    const prompt = test.model.requests.at(-1)?.body.messages as { role: string; content: string }[];
    expect(prompt.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual(
      results.map(({ content }) => content),
    );
  });
});

it('[runs.rollback.unset] a rollback of a run that never stood anywhere leaves the state alone', async () => {
  const storage = await openStorage({ url: 'sqlite::memory:', log });
  const repositories = storage.as('user');
  const now = () => 1;
  await repositories.threads.create({ threadId: 't', metadata: {}, assistantId: null, now: 1 });
  const states = createThreadStates({ maxBytes: 1_000 });
  const head = { messages: [], values: { title: 'kept' } };
  const { row } = states.extend(NO_CHECKPOINT, {
    ...{ checkpointId: 'head', runId: null, namespace: '', source: 'update', node: null, delta: head },
    next: [],
    tasks: [],
    metadata: {},
    now: 1,
  });
  await repositories.checkpoints.append('t', row, { expectedHead: null });
  const events = { events: [], metadata: {}, kwargs: {}, multitaskStrategy: 'reject', now: 1 } as const;
  await repositories.runs.admit({ runId: 'r', threadId: 't', assistantId: 'lead_agent', ...events });
  const [run] = await storage.runLeases.claim({ leaseOwner: 'o', now: 1, leaseUntil: 9 }, 1);
  if (run === undefined) throw new Error('There was nothing to claim.');
  const abort = new AbortController();
  abort.abort(new RunAbort({ kind: 'cancelled', stopReason: 'rolled_back' }));
  const tails = createRunTails();
  await executeRun(
    {
      ...{
        states,
        prepareMove: storage.runCommits.prepareMove,
        log,
        now,
        newId: () => 'id',
        maxAttempts: 3,
        maxStateBytes: 1_048_576,
        traceLimitBytes: 1_000,
        leases: storage.runLeases,
      },
      runLog: createRunLog({ commits: storage.runCommits, tails, log, now, flushIntervalMs: 1 }),
      agents: async () => ({ problem: 'There is none.' }),
      files: NO_RUN_FILES,
    },
    // What it was asked cannot be read, so it comes to no starting point.
    {
      run: { ...run, kwargs: { input: 'nonsense' } },
      repositories,
      abort,
      isNew: true,
      onProgress: () => {},
    },
  );
  expect(await repositories.runs.get('r')).toMatchObject({
    status: 'interrupted',
    stopReason: 'rolled_back',
  });
  expect((await repositories.threads.get('t'))?.headCheckpointId).toBe('head');
  await storage.close();
});

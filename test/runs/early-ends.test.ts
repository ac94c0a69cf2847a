// Runs that end early leave a thread that can be continued.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { executeRun } from '../../src/runs/execution/execute-run.ts';
import { NO_RUN_FILES } from '../../src/runs/execution/run-files.ts';
import { RunAbort } from '../../src/runs/log/run-ending.ts';
import { RunLog } from '../../src/runs/log/run-log.ts';
import { RunTails } from '../../src/runs/log/run-tails.ts';
import { runBodySchema, toRunRequest } from '../../src/runs/request/run-body.ts';
import { toKwargs } from '../../src/runs/request/run-request.ts';
import type { RunRecord } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { createThreadStates, type FoldedCheckpoint, NO_CHECKPOINT } from '../../src/storage/thread-states.ts';
import { claimRuns, sampleChange } from '../storage/samples.ts';
import { jsonOf, type MessageJson, type StateJson } from '../support/json-of.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG as log } from '../support/quiet-log.ts';
import { newThread, openTestService, question, streamed, type TestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';

const MODES = ['values', 'messages-tuple', 'updates'];
const look = { name: 'ls', args: { description: 'look', path: '/mnt/user-data/workspace' } };

describe('a run that stops between a reply and its tools', () => {
  let test: TestService;
  beforeEach(async () => {
    test = await openTestService();
  });
  afterEach(() => test.close());

  it('[runs.closed-calls] gives every call a result that reports it, in the state, the stream and the record', async () => {
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

describe('a rollback', () => {
  let storage: Storage;
  beforeEach(async () => {
    storage = await openStorage({ url: 'sqlite::memory:', log });
    await storage.as('user').threads.create({ threadId: 't', metadata: {}, assistantId: null, now: 1 });
  });
  afterEach(() => storage.close());

  const headOf = async () => (await storage.as('user').threads.get('t'))?.headCheckpointId;

  /** Returns a state as a run or an update leaves it. */
  function stateOn(on: FoldedCheckpoint, checkpointId: string, runId: string | null) {
    return createThreadStates({ maxBytes: 1_000 }).extend(on, {
      ...{ checkpointId, runId, namespace: '', source: 'update', node: null },
      delta: { messages: [], values: { title: checkpointId } },
      next: [],
      tasks: [],
      metadata: {},
      now: 1,
    });
  }

  /** Creates a thread with a state and a claimed run. */
  async function begin() {
    const head = stateOn(NO_CHECKPOINT, 'head', null);
    await storage.as('user').checkpoints.append('t', head.row, { expectedHead: null });
    const body = runBodySchema.parse({ input: { messages: [{ role: 'user', content: 'hi' }] } });
    const defaults = { recursionLimit: 25, multitaskStrategy: 'reject', idempotencyKey: undefined } as const;
    const kwargs = toKwargs(
      toRunRequest(body, defaults, () => 'm'),
      [],
    );
    const events = { events: [], metadata: {}, kwargs, multitaskStrategy: 'reject', now: 1 } as const;
    await storage.as('user').runs.admit({
      ...{ runId: 'r', threadId: 't', assistantId: 'lead_agent' },
      ...events,
    });
    const [run] = await claimRuns(storage, { workerId: 'o' });
    if (run === undefined) throw new Error('There was nothing to claim.');
    return { head: head.folded, run };
  }

  /** Executes the run after a rollback was requested. */
  async function executeRolledBack(run: RunRecord, isNew: boolean): Promise<void> {
    const abort = new AbortController();
    abort.abort(new RunAbort({ kind: 'cancelled', stopReason: 'rolled_back' }));
    const now = () => 1;
    await executeRun(
      {
        states: createThreadStates({ maxBytes: 1_000 }),
        prepareMove: storage.runCommits.prepareMove,
        log,
        now,
        newId: () => 'id',
        maxAttempts: 3,
        maxStateBytes: 1_048_576,
        traceLimitBytes: 1_000,
        leases: storage.runLeases,
        runLog: new RunLog({
          commits: storage.runCommits,
          tails: new RunTails(),
          log,
          now,
          flushIntervalMs: 1,
          worker: { id: 'o', acknowledge: () => {} },
          sortAfterMs: 1_000,
        }),
        agents: async () => ({ problem: 'There is none.' }),
        files: NO_RUN_FILES,
      },
      {
        run,
        repositories: storage.as('user'),
        abort,
        isNew,
        onProgress: () => {},
      },
    );
    expect(await storage.as('user').runs.get('r')).toMatchObject({
      status: 'interrupted',
      stopReason: 'rolled_back',
    });
  }

  it('[runs.rollback.unset] of a run that never had a starting point leaves the state alone', async () => {
    const { run } = await begin();
    // Its input cannot be read, so it never reaches a starting point.
    await executeRolledBack({ ...run, kwargs: { input: 'nonsense' } }, true);
    expect(await headOf()).toBe('head');
  });

  it('[runs.rollback.done] of a run whose process died after its last step restores the state from before the run', async () => {
    const { head, run } = await begin();
    const { row } = stateOn(head, 'last step', 'r');
    const stands = { run: { baseCheckpointId: 'head' }, thread: { headCheckpointId: 'last step' } };
    await storage.runCommits.commit([sampleChange(run, { checkpoints: [row], ...stands })], 1);
    expect(await headOf()).toBe('last step');
    const left = await storage.as('user').runs.get('r');
    await executeRolledBack(left ?? run, false);
    expect(await headOf()).toBe('head');
  });
});

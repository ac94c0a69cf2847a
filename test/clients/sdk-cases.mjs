// What a client of the SDK does with the service, for the SDK itself and for what stands before it.
import assert from 'node:assert/strict';

const AGENT = 'lead_agent';
const ALL_MODES = ['values', 'updates', 'messages-tuple', 'custom'];
const ask = (content) => ({ messages: [{ type: 'human', content }] });

/** What stands before the service may drop `Last-Event-ID`; then the whole answer comes once more. */
export function casesOf({ threads, runs }, { keepsLastEventId = true } = {}) {
  const stream = async (threadId, payload) => {
    const parts = [];
    for await (const part of runs.stream(threadId, AGENT, { streamMode: ALL_MODES, ...payload }))
      parts.push(part);
    return parts;
  };
  const named = (parts, event) => parts.filter((part) => part.event === event).map(({ data }) => data);
  const lastText = ({ messages }) => messages.at(-1).content;

  return {
    async thread() {
      const metadata = { kind: crypto.randomUUID() };
      const { thread_id } = await threads.create({ metadata });
      assert.equal((await threads.get(thread_id)).status, 'idle');
      const found = await threads.search({ metadata });
      assert.deepEqual(
        found.map((it) => it.thread_id),
        [thread_id],
      );
      return 'created, read, found';
    },
    async 'stream with a tool'() {
      const { thread_id } = await threads.create();
      const parts = await stream(thread_id, { input: ask('list the files') });
      assert.deepEqual(named(parts, 'error'), []);
      const last = named(parts, 'values').at(-1);
      assert.deepEqual(
        last.messages.map(({ type }) => type),
        ['human', 'ai', 'tool', 'ai'],
      );
      assert.equal(lastText(last), 'That is done.');
      const pieces = named(parts, 'messages').filter(
        ([{ type, id }]) => type === 'AIMessageChunk' && id === last.messages.at(-1).id,
      );
      assert.equal(pieces.map(([{ content }]) => content).join(''), 'That is done.');
      return `${parts.length} events, ${pieces.length} pieces of text`;
    },
    async history() {
      const { thread_id } = await threads.create();
      await runs.wait(thread_id, AGENT, { input: ask('hello') });
      await runs.wait(thread_id, AGENT, { input: ask('hello again') });
      const state = await threads.getState(thread_id);
      assert.equal(state.values.messages.length, 4);
      const history = await threads.getHistory(thread_id, { limit: 100 });
      assert.deepEqual(history[0].values, state.values);
      const found = await threads.search({ metadata: { graph_id: AGENT }, limit: 100 });
      assert.ok(
        found.some((it) => it.thread_id === thread_id),
        'a search for the graph finds the thread',
      );
      return `${history.length} checkpoints`;
    },
    async approval() {
      const { thread_id } = await threads.create();
      const asked = await stream(thread_id, { input: ask('write a note') });
      const [interrupt] = named(asked, 'values').at(-1).__interrupt__;
      assert.ok(interrupt.value);
      const state = await threads.getState(thread_id);
      assert.deepEqual(state.next, ['tools']);
      assert.equal((await threads.get(thread_id)).status, 'interrupted');
      const parts = await stream(thread_id, { command: { resume: { decisions: [{ type: 'approve' }] } } });
      const { messages } = named(parts, 'values').at(-1);
      assert.deepEqual(
        messages.map(({ type }) => type),
        ['human', 'ai', 'tool', 'ai'],
      );
      assert.equal(messages[2].status, 'success');
      return 'asked, allowed, done';
    },
    async error() {
      const { thread_id } = await threads.create();
      const parts = await stream(thread_id, { input: ask('fail now') });
      const [error] = named(parts, 'error');
      assert.ok(error?.message, 'an error event with a message');
      assert.equal((await threads.get(thread_id)).status, 'error');
      await assert.rejects(() => threads.get(crypto.randomUUID()), { status: 404 });
      return `${error.error}: ${error.message}`;
    },
    async 'leave and join'() {
      const { thread_id } = await threads.create();
      const left = await leaveEarly(runs, thread_id);
      const after = [];
      const options = { lastEventId: left.lastId, streamMode: ['messages-tuple'] };
      for await (const { event, data } of runs.joinStream(thread_id, left.runId, options)) {
        if (event === 'messages') after.push(data[0].content);
      }
      const values = await runs.join(thread_id, left.runId);
      const pieces = keepsLastEventId ? [...left.pieces, ...after] : after;
      assert.equal(pieces.join(''), lastText(values));
      const again = keepsLastEventId ? 'each once' : 'from the start, as Last-Event-ID is dropped on the way';
      return `${left.pieces.length} pieces before, ${after.length} after, ${again}`;
    },
  };
}

/** Starts a slow run and goes away after ten pieces of its text. */
async function leaveEarly(runs, threadId) {
  const leave = new AbortController();
  const seen = { pieces: [], lastId: undefined, runId: undefined };
  const stream = runs.stream(threadId, AGENT, {
    input: ask('slow now'),
    streamMode: 'messages-tuple',
    streamResumable: true,
    onDisconnect: 'continue',
    signal: leave.signal,
    onRunCreated: ({ run_id }) => {
      seen.runId = run_id;
    },
  });
  try {
    for await (const { id, event, data } of stream) {
      if (event !== 'messages') continue;
      seen.pieces.push(data[0].content);
      seen.lastId = id;
      if (seen.pieces.length === 10) leave.abort();
    }
  } catch (error) {
    assert.equal(error.name, 'AbortError');
  }
  return seen;
}

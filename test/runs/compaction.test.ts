// Threads that are longer than the model can read: what the model is shown, and what stays unchanged.
import { afterEach, describe, expect, it } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { modelsOptionsSchema } from '../../src/models/model-options.ts';
import { answer } from '../support/model-server/answer.ts';
import { startModelServer } from '../support/model-server.ts';
import { task, taskOf } from '../support/scripted-subagents.ts';
import { openTestService } from '../support/service.ts';
import { dataOf } from '../support/sse.ts';
import {
  FULL,
  LONG,
  type LongThread,
  only,
  openLongThread,
  SUMMARY,
  sentOf,
  summarizations,
  textsOf,
  WINDOW,
} from './long-thread.ts';

/** Returns a different call each time, since a model that repeats itself is stopped. */
function look() {
  looks += 1;
  const args = { description: 'look', pattern: `${looks}.*`, path: '/mnt/user-data/workspace' };
  return { name: 'glob', args };
}
let looks = 0;

let thread: LongThread;
afterEach(() => thread.test.close());

describe('a prompt that the provider finds too long', () => {
  it('[fault.F52] [compaction.overflow] is summarised and sent once more, and the thread keeps every message', async () => {
    thread = await openLongThread({});
    await thread.askLong(5);
    const before = thread.lastRequest();
    thread.test.model.enqueue(answer.contextOverflow());
    const frames = await thread.ask('and now?');
    const [refused, retried] = thread.agentRequests().slice(-2).map(only);
    if (refused === undefined || retried === undefined) throw new Error('It was not asked again.');
    expect(thread.summaryRequests()).toHaveLength(1);
    expect(textsOf(refused)).toContain(`1 ${LONG}`);
    expect(textsOf(retried).length).toBeLessThan(textsOf(before).length / 2);
    const [system, first] = sentOf(retried);
    expect(system).toEqual(sentOf(refused)[0]);
    expect(first).toMatchObject({ role: 'user' });
    expect(JSON.stringify(first?.content)).toContain(SUMMARY);
    expect(JSON.stringify(sentOf(retried).at(-1))).toContain('and now?');
    expect(summarizations(frames).map(({ status }) => status)).toEqual(['started', 'completed']);
    expect(await thread.lastRun()).toMatchObject({ status: 'success', stop_reason: 'completed' });
    const { values } = await thread.state();
    expect(values.messages.map(({ content }) => content)).toEqual([
      ...[1, 2, 3, 4, 5].flatMap((number) => [`${number} ${LONG}`, 'fine']),
      ...['and now?', 'fine'],
    ]);
    expect(values.summary?.text).toBe(SUMMARY);
    // The next turn is asked with the summary from the start.
    await thread.ask('and then?');
    expect(textsOf(thread.lastRequest())).toContain(SUMMARY);
    expect(textsOf(thread.lastRequest())).not.toContain(`1 ${LONG}`);
    expect(thread.summaryRequests()).toHaveLength(1);
  });

  it('[fault.F52] [compaction.overflow.twice] twice ends the run as context_overflow and keeps everything', async () => {
    thread = await openLongThread({});
    await thread.askLong(3);
    thread.answer(() => answer.contextOverflow());
    const asked = thread.agentRequests().length;
    const frames = await thread.ask('and now?');
    expect(thread.agentRequests().length - asked).toBe(2);
    expect(frames.slice(-2).map(({ event }) => event)).toEqual(['error', 'end']);
    expect(dataOf(frames, 'error')).toEqual([
      { error: 'ContextOverflowError', message: expect.stringContaining('longer than') },
    ]);
    expect(await thread.lastRun()).toMatchObject({ status: 'error', stop_reason: 'context_overflow' });
    expect((await thread.state()).values.messages).toHaveLength(7);
    thread.answer(() => answer.text('better'));
    await thread.ask('once more');
    expect(await thread.lastRun()).toMatchObject({ status: 'success' });
  });

  it('[compaction.overflow.failed] without a summary ends the run as context_overflow', async () => {
    thread = await openLongThread({});
    await thread.askLong(3);
    thread.answer(
      () => answer.contextOverflow(),
      () => answer.unauthorized(),
    );
    const frames = await thread.ask('and now?');
    expect(summarizations(frames).map(({ status }) => status)).toEqual(['started', 'failed']);
    expect(await thread.lastRun()).toMatchObject({ stop_reason: 'context_overflow' });
    expect((await thread.state()).values.summary).toBeUndefined();
  });

  it('[compaction.overflow.results] because of its last results gets a reply from a summary of them', async () => {
    thread = await openLongThread({});
    const file = { description: 'look', path: '/mnt/user-data/workspace/a.md' };
    thread.test.model.enqueue(
      answer.toolCalls([{ name: 'write_file', args: { ...file, content: `${LONG} `.repeat(20) } }]),
      answer.toolCalls([{ name: 'read_file', args: file }]),
      answer.contextOverflow(),
      answer.text('The file is about olives.'),
      answer.text('About olives.'),
    );
    await thread.ask('what is in it?');
    const last = thread.lastRequest();
    expect(sentOf(last).map(({ role }) => role)).toEqual(['system', 'user']);
    expect(textsOf(last)).toContain('The file is about olives.');
    expect(textsOf(last)).toContain('what is in it?');
    expect((await thread.state()).values.messages.at(-1)?.content).toBe('About olives.');
  });

  it('[compaction.overflow.writer] is summarised even when the model cannot read all of it to do so', async () => {
    thread = await openLongThread({});
    await thread.askLong(8);
    thread.test.model.enqueue(...Array.from({ length: 3 }, () => answer.contextOverflow()));
    await thread.ask('and now?');
    const lengths = thread.summaryRequests().map((it) => textsOf(it).length);
    expect(lengths).toHaveLength(3);
    expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
    expect(new Set(lengths).size).toBe(3);
    expect(await thread.lastRun()).toMatchObject({ status: 'success' });
  });
});

describe('a prompt that fills the window of its model', () => {
  it('[compaction.trigger] is summarised before the model is called; recent messages stay unchanged', async () => {
    thread = await openLongThread(WINDOW);
    await thread.askLong(3);
    thread.test.model.enqueue(answer.text('nearly full', FULL));
    await thread.ask(`4 ${LONG}`);
    expect(thread.summaryRequests()).toEqual([]);
    const frames = await thread.ask('and now?');
    expect(thread.summaryRequests()).toHaveLength(1);
    const last = textsOf(thread.lastRequest());
    expect(last).toContain(SUMMARY);
    expect(last).not.toContain(`3 ${LONG}`);
    expect(last).toContain(`4 ${LONG}`);
    expect(last).toContain('nearly full');
    expect(summarizations(frames).at(-1)).toMatchObject({ status: 'completed', replaced_count: 5 });
    expect((await thread.state()).values).toMatchObject({ summary: { text: SUMMARY, message_count: 5 } });
  });

  it('[compaction.trigger] ignores tokens that were counted before the last summary', async () => {
    thread = await openLongThread(WINDOW);
    await thread.askLong(3);
    thread.test.model.enqueue(answer.text('nearly full', FULL));
    await thread.ask(`4 ${LONG}`);
    thread.test.model.enqueue(answer.text(SUMMARY), answer.unauthorized());
    await thread.ask('and now?');
    await thread.ask(`5 ${LONG}`);
    expect(thread.summaryRequests()).toHaveLength(1);
    expect(textsOf(thread.lastRequest())).toContain(`4 ${LONG}`);
  });

  it('[compaction.trigger] is detected without the usage of the provider, too', async () => {
    thread = await openLongThread(WINDOW);
    thread.answer(() => answer.text('fine', { usage: { prompt: 0, completion: 0 } }));
    await thread.askLong(3);
    expect(thread.summaryRequests()).toEqual([]);
    await thread.ask(`4 ${LONG}`);
    expect(thread.summaryRequests()).toHaveLength(1);
  });

  it('[compaction.again] is summarised again from the previous summary and the messages after it alone', async () => {
    thread = await openLongThread(WINDOW);
    await thread.askLong(3);
    thread.test.model.enqueue(answer.text('nearly full', FULL));
    await thread.ask(`4 ${LONG}`);
    await thread.ask(`5 ${LONG}`);
    thread.test.model.enqueue(answer.text('full again', FULL));
    await thread.ask(`6 ${LONG}`);
    thread.answer(
      () => answer.text('fine'),
      () => answer.text('Olives, twice.'),
    );
    await thread.ask('and now?');
    const [, second] = thread.summaryRequests();
    expect(textsOf(only(second))).toContain(SUMMARY);
    expect(textsOf(only(second))).toContain(`5 ${LONG}`);
    expect(textsOf(only(second))).not.toContain(`4 ${LONG}`);
    const last = textsOf(thread.lastRequest());
    expect(last).toContain('Olives, twice.');
    expect(last).not.toContain(SUMMARY);
    expect((await thread.state()).values.messages).toHaveLength(14);
  });

  it('[compaction.instructions] keeps the system messages of the thread', async () => {
    thread = await openLongThread(WINDOW);
    await thread.ask('', {
      input: {
        messages: [
          { role: 'system', content: 'Speak Latin.' },
          { role: 'user', content: 'hi' },
        ],
      },
    });
    await thread.askLong(3);
    thread.test.model.enqueue(answer.text('nearly full', FULL));
    await thread.ask(`4 ${LONG}`);
    await thread.ask('and now?');
    expect(sentOf(thread.lastRequest())[0]?.content).toContain('Speak Latin.');
    expect(textsOf(thread.lastRequest())).toContain(SUMMARY);
    expect(textsOf(thread.lastRequest())).not.toContain(`1 ${LONG}`);
  });

  it('[compaction.failed] goes to the model unchanged when no summary can be written, which is tried once a run', async () => {
    thread = await openLongThread(WINDOW);
    await thread.askLong(3);
    let asked = 0;
    thread.answer(
      () => (asked++ === 1 ? answer.toolCalls([look()], FULL) : answer.text('fine', FULL)),
      () => answer.text(''),
    );
    await thread.ask(`4 ${LONG}`);
    await thread.ask('and now?');
    expect(asked).toBe(3);
    expect(await thread.lastRun()).toMatchObject({ status: 'success' });
    // One summary, whose empty reply is requested once more.
    expect(thread.summaryRequests()).toHaveLength(2);
    expect(textsOf(thread.lastRequest())).toContain(`1 ${LONG}`);
    expect((await thread.state()).values.summary).toBeUndefined();
  });

  it('[compaction.pairs] never separates a call from its results, and keeps the question of a long run', async () => {
    thread = await openLongThread({ context_window: 600 });
    let calls = 0;
    thread.answer(() =>
      calls++ < 12
        ? answer.toolCalls([look(), look()], {
            text: `${LONG} ${calls}`,
            usage: { prompt: 500, completion: 20 },
          })
        : answer.text('done'),
    );
    await thread.ask('go through all of it');
    expect(await thread.lastRun()).toMatchObject({ status: 'success' });
    expect(thread.summaryRequests().length).toBeGreaterThan(1);
    for (const request of thread.agentRequests()) {
      expect(textsOf(request)).toContain('go through all of it');
      expect(textsOf(request)).not.toContain('not known');
    }
    for (const { values } of await thread.history())
      expect(values.messages[values.summary?.message_count ?? 0]?.type).not.toBe('tool');
    const { messages } = (await thread.state()).values;
    expect(messages).toHaveLength(1 + 12 * 3 + 1);
    // Ids of calls that the model no longer sees are not assigned again.
    const ids = messages.flatMap(({ tool_calls: made = [] }) => made.map((it) => Reflect.get(it, 'id')));
    expect(new Set(ids).size).toBe(24);
  });
});

describe('a sub-agent', () => {
  it('[compaction.subagents] gets its own summary when its task becomes too long', async () => {
    thread = await openLongThread({ context_window: 600 });
    let calls = 0;
    thread.answer((request) => {
      if (taskOf(request) === '')
        return calls === 0 ? answer.toolCalls([task('c1')]) : answer.text('All done');
      return calls++ < 6
        ? answer.toolCalls([look()], { text: LONG, usage: { prompt: 500, completion: 20 } })
        : answer.text('It is empty');
    });
    const frames = await thread.ask('delegate');
    expect(await thread.lastRun()).toMatchObject({ status: 'success' });
    expect(thread.summaryRequests().length).toBeGreaterThan(0);
    const last = thread.agentRequests().findLast((request) => taskOf(request) !== '');
    expect(textsOf(only(last))).toContain(SUMMARY);
    expect(textsOf(only(last))).toContain('do c1');
    expect((await thread.state()).values.summary).toBeUndefined();
    expect(summarizations(frames)).toEqual([]);
  });
});

describe('agent.compaction', () => {
  it('[compaction.options] switches compaction off', async () => {
    const off = { agent: { compaction: { enabled: false } } };
    thread = await openLongThread(WINDOW, { config: off });
    thread.answer(() => answer.text('fine', FULL));
    await thread.askLong(4);
    thread.test.model.enqueue(answer.contextOverflow());
    await thread.ask('and now?');
    expect(thread.summaryRequests()).toEqual([]);
    expect(await thread.lastRun()).toMatchObject({ stop_reason: 'context_overflow' });
  });

  it('[compaction.options] names the model that writes summaries', async () => {
    const server = await startModelServer();
    const entry = { provider: 'openai-compatible', base_url: server.url };
    const models = modelsOptionsSchema.parse([
      { ...entry, name: 'agent', model: 'agent-1' },
      { ...entry, name: 'writer', model: 'writer-1' },
    ]);
    thread = await openLongThread(
      {},
      { models: createModels(models), config: { agent: { compaction: { model: 'writer' } } } },
    );
    let refusals = 0;
    server.onRequest(({ body }) => {
      if (body.model === 'writer-1') return answer.text(SUMMARY);
      return server.requests.length > 3 && refusals++ === 0 ? answer.contextOverflow() : answer.text('fine');
    });
    await thread.askLong(3);
    await thread.ask('and now?');
    expect(server.requests.map(({ body }) => body.model)).toEqual([
      ...['agent-1', 'agent-1', 'agent-1', 'agent-1'],
      ...['writer-1', 'agent-1'],
    ]);
    await server.close();
    const nobody = { agent: { compaction: { model: 'nobody' } } };
    await expect(openTestService({ config: nobody })).rejects.toThrow(
      "agent.compaction.model: there is no model named 'nobody'",
    );
  });
});

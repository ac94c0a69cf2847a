// The loop: order of events, parallel tools, middleware, aborts, and resumed runs (docs/contract/agent.md).
import { describe, expect, it } from 'vitest';
import type { AgentEvent, ToolEnd } from '../../src/agent/agent-event.ts';
import type { Middleware } from '../../src/agent/middleware.ts';
import { aiMessage, humanMessage, toolMessage } from '../../src/messages/message.ts';
import type { ThreadState } from '../../src/messages/thread-state.ts';
import type { ToolEffect } from '../../src/tools/tool.ts';
import { eventsOf, finalState, OPTIONS, outcomeOf, run, type Scene, tool } from './loop-scene.ts';
import { call, calls, says, scriptedModel } from './scripted-model.ts';

const HOOKS_RAN = { kind: 'after', node: 'model' } as const;
const RECOVER = { kind: 'recover', firstHooks: HOOKS_RAN, answers: new Map() } as const;
const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

describe('the loop', () => {
  it('[agent.loop.events] reports every step with its delta and the state after it, and returns why it stopped', async () => {
    const { events, stop } = await outcomeOf({ model: scriptedModel(says('Hello')) });
    expect(types(events)).toEqual([
      'step_start',
      'model_call_start',
      'text_delta',
      'model_call_end',
      'message_end',
      'state',
    ]);
    expect(events.at(-1)).toMatchObject({ fold: { state: finalState(events) } });
    expect(stop).toEqual({ kind: 'completed' });
  });

  it('[agent.loop.pace] continues once an event was accepted', async () => {
    const taken = Promise.withResolvers<void>();
    const order: string[] = [];
    const running = run({ model: scriptedModel(says('Hello')) }, ({ type }) => {
      order.push(type);
      return type === 'text_delta' ? taken.promise : undefined;
    });
    await expect.poll(() => order).toContain('text_delta');
    order.push('taken');
    taken.resolve();
    await running;
    expect(order).toEqual([
      ...['step_start', 'model_call_start', 'text_delta', 'taken'],
      ...['model_call_end', 'message_end', 'state'],
    ]);
  });

  it.each(['tools_start', 'tool_end'])(
    '[agent.loop.refused] begins no further tool call when a %s is refused',
    async (refused) => {
      const ran: string[] = [];
      const noting = (name: string) => tool(name, async () => `call ${ran.push(name)}`, 'once');
      const running = run(
        {
          model: scriptedModel(calls(call('c1', 'a'), call('c2', 'b'))),
          tools: [noting('a'), noting('b')],
          toolCallsAtOnce: 1,
        },
        ({ type }) => (type === refused ? Promise.reject(new Error('lost')) : undefined),
      );
      await expect(running).rejects.toThrow('lost');
      expect(ran).toEqual(refused === 'tools_start' ? [] : ['a']);
    },
  );

  it('[agent.tools.parallel] runs the calls of one message in parallel and keeps the order of the calls', async () => {
    const slow = Promise.withResolvers<string>();
    const order: string[] = [];
    const events = await eventsOf({
      model: scriptedModel(calls(call('c1', 'slow'), call('c2', 'fast')), says('done')),
      tools: [
        tool('slow', async () => {
          order.push('slow begins');
          return slow.promise;
        }),
        tool('fast', async () => {
          order.push('fast');
          slow.resolve('slow result');
          return 'fast result';
        }),
      ],
    });
    expect(order).toEqual(['slow begins', 'fast']);
    const ends = events.filter((event) => event.type === 'tool_end');
    expect(ends.map(({ message }) => message.tool_call_id)).toEqual(['c2', 'c1']);
    const contents = finalState(events).messages.map(({ content }) => content);
    expect(contents).toEqual(['hi', '', 'slow result', 'fast result', 'done']);
  });

  it('[agent.tools.throw] a tool that throws is a result with status error, and the others are kept', async () => {
    const events = await eventsOf({
      model: scriptedModel(calls(call('c1', 'bad'), call('c2', 'good')), says('done')),
      tools: [tool('bad', () => Promise.reject(new Error('no luck'))), tool('good', async () => 'fine')],
    });
    expect(finalState(events).messages.slice(2, 4)).toMatchObject([
      { status: 'error', content: expect.stringContaining('no luck') },
      { status: 'success', content: 'fine' },
    ]);
  });

  it('[agent.tools.late] reports the progress of a call until it has its result, and not afterwards', async () => {
    const reports: ((data: string) => void)[] = [];
    const events = await eventsOf({
      model: scriptedModel(calls(call('c1', 'busy')), says('done')),
      tools: [
        tool('busy', async (_, report) => {
          reports.push(report);
          report('half');
          return 'all';
        }),
      ],
    });
    for (const report of reports) report('late');
    expect(reports).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'custom')).toEqual([{ type: 'custom', data: 'half' }]);
  });

  it('[agent.abort.tools] [fault.F41] an abort ends tools that ignore it, and every call still has one result', async () => {
    const abort = new AbortController();
    const events: AgentEvent[] = [];
    const scene: Scene = {
      model: scriptedModel(calls(call('c1', 'deaf'), call('c2', 'quick'))),
      tools: [tool('deaf', () => new Promise<string>(() => {})), tool('quick', async () => 'kept')],
      input: { signal: abort.signal },
    };
    const stop = await run(scene, (event) => {
      events.push(event);
      if (event.type === 'tool_end' && event.message.content === 'kept') abort.abort(new Error('cancelled'));
      return undefined;
    });
    expect(finalState(events).messages.slice(2)).toMatchObject([
      { tool_call_id: 'c1', status: 'error', content: expect.stringContaining('cancelled') },
      { tool_call_id: 'c2', status: 'success', content: 'kept' },
    ]);
    expect(stop).toEqual({ kind: 'aborted' });
  });

  it('[agent.abort.model] an abort in mid-reply keeps the text as a message without tool calls', async () => {
    const abort = new AbortController();
    const events: AgentEvent[] = [];
    const model = scriptedModel(async function* ({ signal }) {
      yield { type: 'text_delta', text: 'half' };
      yield { type: 'tool_call_delta', index: 0, id: 'c', name: 'x', args: '{' };
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const stop = await run({ model, input: { signal: abort.signal } }, (event) => {
      events.push(event);
      if (event.type === 'tool_call_delta') queueMicrotask(() => abort.abort(new Error('cancelled')));
      return undefined;
    });
    expect(finalState(events).messages.at(-1)).toMatchObject({ type: 'ai', content: 'half', tool_calls: [] });
    expect(stop).toEqual({ kind: 'aborted' });
  });

  it('[agent.limit] stops after the number of steps that the run allows', async () => {
    const again = calls(call('c', 'echo'));
    const { events, stop } = await outcomeOf({
      model: scriptedModel(again, again, again),
      tools: [tool('echo', async () => 'echo')],
      input: { options: { ...OPTIONS, recursionLimit: 4 } },
    });
    expect(events.filter(({ type }) => type === 'step_start')).toHaveLength(4);
    expect(stop).toEqual({ kind: 'max_steps', message: expect.stringContaining('4 steps') });
  });
});

describe('a resumed run', () => {
  const pending: ThreadState = {
    messages: [
      humanMessage('h1', 'hi'),
      aiMessage('a1', '', { tool_calls: [call('c1', 'a'), call('c2', 'b'), call('c3', 'c')] }),
    ],
    values: {},
  };
  const done: ToolEnd = {
    type: 'tool_end',
    message: toolMessage('m1', { id: 'c1', name: 'a' }, { content: 'already done' }),
    values: {},
    awaitsInput: false,
  };

  it('[agent.resume.effects] keeps finished results, repeats repeatable calls, and never a once tool', async () => {
    const ran: string[] = [];
    const noting = (name: string, effect: ToolEffect) =>
      tool(
        name,
        async () => {
          ran.push(name);
          return `${name} again`;
        },
        effect,
      );
    const events = await eventsOf({
      model: scriptedModel(says('done')),
      tools: [noting('a', 'once'), noting('b', 'idempotent'), noting('c', 'once')],
      input: {
        state: pending,
        start: {
          ...RECOVER,
          node: 'tools',
          unfinished: { toolEnds: [done], startedCallIds: new Set(['c1', 'c2', 'c3']), subagents: new Map() },
        },
      },
    });
    expect(ran).toEqual(['b']);
    expect(finalState(events, pending).messages.slice(2)).toMatchObject([
      { tool_call_id: 'c1', content: 'already done' },
      { tool_call_id: 'c2', content: 'b again' },
      { tool_call_id: 'c3', status: 'error', content: expect.stringContaining('not known') },
      { content: 'done' },
    ]);
  });

  it('[agent.resume.message] writes a lost message again under the same id', async () => {
    const events = await eventsOf({
      model: scriptedModel(says('whole')),
      input: {
        start: {
          ...RECOVER,
          node: 'model',
          unfinished: {
            toolEnds: [],
            startedCallIds: new Set(),
            messageId: 'lost-message',
            subagents: new Map(),
          },
        },
      },
    });
    expect(finalState(events).messages.at(-1)).toMatchObject({ id: 'lost-message', content: 'whole' });
  });

  it('[agent.dangling] a new run leaves the open calls of an older message alone', async () => {
    const state = { ...pending, messages: [...pending.messages, humanMessage('h2', 'never mind')] };
    const model = scriptedModel(says('fine'));
    const events = await eventsOf({ model, tools: [], input: { state } });
    expect(types(events)).not.toContain('tools_start');
    expect(model.requests).toHaveLength(1);
  });
});

describe('middleware', () => {
  it('[agent.middleware.order] shapes requests outside-in, runs after-hooks inside-out, and its changes are separate steps', async () => {
    const order: string[] = [];
    const noting = (name: string): Middleware => ({
      name,
      beforeAgent: async () => {
        order.push(`${name}.beforeAgent`);
        return { delta: { messages: [], values: { [name]: true } } };
      },
      beforeModel: async () => void order.push(`${name}.beforeModel`),
      afterModel: async () => void order.push(`${name}.afterModel`),
      afterAgent: async () => void order.push(`${name}.afterAgent`),
      shapeRequest: (request) => {
        order.push(`${name}.model`);
        return { ...request, system: `${request.system}${name}` };
      },
      shapeSent: async (request) => {
        order.push(`${name}.sent`);
        return { ...request, system: `${request.system}+${name}` };
      },
      reviewTools: async (calls) => {
        order.push(`${name}.tools`);
        return { calls, refused: [] };
      },
    });
    const model = scriptedModel(calls(call('c1', 'echo')), says('done'));
    const { events } = await outcomeOf({
      model,
      tools: [tool('echo', async () => 'echo')],
      middleware: [noting('a'), noting('b')],
    });
    expect(order).toEqual([
      ...['a.beforeAgent', 'b.beforeAgent', 'a.beforeModel', 'b.beforeModel'],
      ...['a.model', 'b.model', 'a.sent', 'b.sent', 'b.afterModel', 'a.afterModel', 'a.tools', 'b.tools'],
      ...['a.beforeModel', 'b.beforeModel', 'a.model', 'b.model', 'a.sent', 'b.sent'],
      ...['b.afterModel', 'a.afterModel', 'b.afterAgent', 'a.afterAgent'],
    ]);
    expect(model.requests[0]?.system).toBe('Be brief.ab+a+b');
    const reported = events.find((event) => event.type === 'model_call_start');
    expect([...(reported?.prompt().texts(100) ?? [])][0]).toContain('"Be brief.ab"');
    expect(finalState(events).values).toEqual({ a: true, b: true });
    const nodes = events.flatMap((event) => (event.type === 'state' ? [event.node] : []));
    expect(nodes).toEqual(['a.before_agent', 'b.before_agent', 'model', 'tools', 'model']);
  });
});

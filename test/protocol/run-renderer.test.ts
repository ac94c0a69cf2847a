// The log of a run in, events of Agent Protocol v2 out, also for what a run in process seldom does.
import { expect, it } from 'vitest';
import { aiMessage, humanMessage, toolMessage } from '../../src/messages/message.ts';
import {
  EMPTY_STATE,
  foldDelta,
  type StateDelta,
  type ThreadState,
} from '../../src/messages/thread-state.ts';
import type { LogEvent, StateWritten } from '../../src/runs/log/log-event.ts';
import type { ProtocolEvent } from '../../src/runs/reading/protocol/protocol-event.ts';
import { RunRenderer } from '../../src/runs/reading/protocol/run-renderer.ts';

type Told = readonly [method: string, data: unknown];

function shown(events: readonly ProtocolEvent[]): Told[] {
  return events.map((event) => [event.method, JSON.parse(event.data())]);
}

function renderer() {
  const made = new RunRenderer({ assistantId: 'lead_agent' });
  let state: ThreadState = EMPTY_STATE;
  return {
    tell: (event: LogEvent): Told[] => shown(made.render(event, undefined)),
    state: (fields: Partial<StateWritten>, messages: StateDelta['messages']): Told[] => {
      const delta = { messages, values: {} };
      state = foldDelta(state, delta).state;
      const event: StateWritten = {
        type: 'state',
        checkpointId: 'c2',
        parentId: 'c1',
        source: 'loop',
        node: 'model',
        step: 1,
        taskId: 't',
        next: [],
        ...fields,
      };
      return shown(made.render(event, { state, delta, whole: false }));
    },
  };
}

const ATTEMPT: LogEvent = { type: 'attempt', attempt: 1 };
const END: LogEvent = { type: 'end', status: 'success', stopReason: 'completed' };
const call = { type: 'tool_call', id: 'call_1', name: 'ls', args: { path: '/' } } as const;

it('[protocol.lifecycle] a run that was taken up twice is running once', () => {
  const { tell } = renderer();
  expect(tell(ATTEMPT)).toEqual([['lifecycle', { event: 'running', graph_name: 'lead_agent' }]]);
  expect(tell({ type: 'attempt', attempt: 2 })).toEqual([]);
  expect(tell(END)).toEqual([['lifecycle', { event: 'completed', graph_name: 'lead_agent' }]]);
});

it('[protocol.lifecycle] a run that was never taken up is running before it ends', () => {
  const { tell } = renderer();
  const events = tell({ type: 'end', status: 'interrupted', stopReason: 'interrupted_by_user' });
  expect(events.map(([, data]) => (data as { event: string }).event)).toEqual(['running', 'interrupted']);
});

it('[protocol.state] a step is an update, a task, a checkpoint and then its values', () => {
  const { tell, state } = renderer();
  tell(ATTEMPT);
  expect(
    state({ source: 'input', node: null, parentId: null, step: -1 }, [humanMessage('h', 'hi')]),
  ).toMatchObject([
    ['checkpoints', { id: 'c2', step: -1, source: 'input' }],
    ['values', { messages: [{ id: 'h' }] }],
  ]);
  tell({ type: 'step_start', node: 'model', step: 1, taskId: 't' });
  const events = state({}, [aiMessage('a', 'hello')]).filter(([method]) => method !== 'messages');
  expect(events).toMatchObject([
    ['updates', { node: 'model', values: { messages: [{ id: 'a' }] } }],
    ['tasks', { id: 't', name: 'model', result: { messages: [{ id: 'a' }] }, interrupts: [] }],
    ['checkpoints', { id: 'c2', parent_id: 'c1', step: 1, source: 'loop' }],
    ['values', { messages: [{ id: 'h' }, { id: 'a' }] }],
  ]);
});

it('[protocol.input] a step that asks a person says so after its values', () => {
  const { tell, state } = renderer();
  tell(ATTEMPT);
  const events = state({ interrupts: [{ id: 'i1', value: { question: 'May I?' } }] }, []);
  expect(events.at(-1)).toEqual(['input.requested', { interrupt_id: 'i1', payload: { question: 'May I?' } }]);
  expect(events).toContainEqual(['tasks', expect.objectContaining({ interrupts: [expect.anything()] })]);
});

it('[protocol.input] a run that answers an interrupt names it, and shows its state again', () => {
  const made = new RunRenderer({ assistantId: 'lead_agent' });
  made.render(ATTEMPT, undefined);
  const event: StateWritten = {
    type: 'state',
    checkpointId: 'c1',
    parentId: null,
    source: 'input',
    node: null,
    step: 3,
    taskId: 't',
    next: ['tools'],
  };
  // A replay loads the change that the earlier run made; it is not this one's.
  const delta = { messages: [aiMessage('a', '', { tool_calls: [call] })], values: {} };
  const state = foldDelta(EMPTY_STATE, delta).state;
  expect(shown(made.render(event, { state, delta, whole: false }, ['i1']))).toMatchObject([
    ['input.answered', { interrupt_ids: ['i1'] }],
    ['values', { messages: [{ id: 'a' }] }],
  ]);
});

it('[protocol.messages] a reply that is written again ends the first attempt with an error', () => {
  const { tell, state } = renderer();
  tell(ATTEMPT);
  tell({ type: 'text_delta', messageId: 'a', text: 'hel' });
  expect(tell({ type: 'message_restart', messageId: 'a' })).toMatchObject([
    ['messages', { event: 'error', code: 'restarted' }],
  ]);
  expect(tell({ type: 'text_delta', messageId: 'a', text: 'hello' })[0]).toEqual([
    'messages',
    { event: 'message-start', role: 'ai', id: 'a' },
  ]);
  const blocks = state({}, [aiMessage('a', 'hello')]).filter(([method]) => method === 'messages');
  expect(blocks[0]).toMatchObject(['messages', { content: { type: 'text', text: 'hello' } }]);
  expect(tell({ type: 'message_restart', messageId: 'a' })).toEqual([]);
});

it('[protocol.messages] a reply that never became part of the state is discarded at the end', () => {
  const { tell } = renderer();
  tell(ATTEMPT);
  tell({ type: 'text_delta', messageId: 'a', text: 'hel' });
  expect(tell(END)).toMatchObject([
    ['messages', { event: 'error', code: 'aborted' }],
    ['lifecycle', { event: 'completed' }],
  ]);
});

it('[protocol.tools] a call that an earlier run asked for has its name and input, and starts once', () => {
  const { tell, state } = renderer();
  tell(ATTEMPT);
  state({ source: 'input', node: null }, [aiMessage('a', '', { tool_calls: [call] })]);
  const started = [
    'tools',
    { event: 'tool-started', tool_call_id: 'call_1', tool_name: 'ls', input: { path: '/' } },
  ];
  expect(tell({ type: 'tools_start', callIds: ['call_1'] })).toEqual([started]);
  expect(tell({ type: 'tools_start', callIds: ['call_1'] })).toEqual([]);
  const message = toolMessage('r', call, { content: 'two files' });
  expect(tell({ type: 'tool_end', message, values: {}, awaitsInput: false })).toEqual([
    [
      'tools',
      {
        event: 'tool-finished',
        tool_call_id: 'call_1',
        output: expect.objectContaining({ content: 'two files' }),
      },
    ],
  ]);
});

it('[protocol.custom] progress that says its type may be asked for by it', () => {
  const made = new RunRenderer({ assistantId: 'lead_agent' });
  made.render(ATTEMPT, undefined);
  const [named] = made.render({ type: 'custom', data: { type: 'task_running', task_id: '1' } }, undefined);
  expect(named).toMatchObject({ channel: 'custom', name: 'task_running' });
  expect(JSON.parse(named?.data() ?? '')).toEqual({
    name: 'task_running',
    payload: { type: 'task_running', task_id: '1' },
  });
  expect(made.render({ type: 'custom', data: 'half done' }, undefined)[0]).not.toHaveProperty('name');
});

// How the app reads what a stream tells of sub-agents.
import { describe, expect, it } from 'vitest';
import { createSubagentProgress, innerNamespace } from '../../web/src/conversation/subagents.ts';

const CALL = { type: 'tool_call', id: 's1', name: 'ls', args: { path: '/' } };
const LOOKING = { type: 'ai', id: 'm1', content: 'Looking', tool_calls: [CALL], additional_kwargs: {} };
const LISTED = { type: 'tool', id: 'm2', tool_call_id: 's1', name: 'ls', content: 'a.md', status: 'success' };
const told = (type: string, fields: object = {}, task = 'c1') => ({ type, task_id: task, ...fields });

describe('progress of sub-agents', () => {
  it('[web.subagents] counts the calls of each, with its last one and its end', () => {
    const progress = createSubagentProgress();
    expect(progress.of('c1')).toBeUndefined();
    progress.onEvent(told('task_started', { description: 'look' }));
    progress.onEvent(told('task_started', { description: 'wait' }, 'c2'));
    expect(progress.of('c1')).toMatchObject({ status: 'running', steps: 0, lastCall: undefined });
    progress.onEvent(told('task_running', { message: LOOKING }));
    progress.onEvent(told('task_running', { message: LISTED }));
    expect(progress.of('c1')).toMatchObject({ status: 'running', steps: 1, lastCall: { name: 'ls' } });
    progress.onEvent(told('task_timed_out', { error: 'too late' }));
    expect(progress.of('c1')?.status).toBe('timed_out');
    expect(progress.of('c2')).toMatchObject({ status: 'running', steps: 0 });
  });

  it('[web.subagents] ignores repeated and unknown events', () => {
    const progress = createSubagentProgress();
    const events = [
      told('task_started'),
      told('task_running', { message: LOOKING }),
      told('task_running', { message: 'no message' }),
      told('task_completed', { result: 'done' }),
    ];
    for (const event of [...events, ...events]) progress.onEvent(event);
    progress.onEvent({ type: 'tool_outcome_unknown', tool_call_id: 'c1' });
    progress.onEvent('words');
    expect(progress.of('c1')).toMatchObject({ status: 'completed', steps: 1, messages: [{ id: 'm1' }] });
  });

  it('[web.subagents.quiet] updates only the card of that sub-agent, and only after a change', () => {
    const progress = createSubagentProgress();
    const woken: string[] = [];
    progress.subscribe('c1', () => woken.push('c1'));
    const leave = progress.subscribe('c2', () => woken.push('c2'));
    progress.onEvent(told('task_started'));
    progress.onEvent(told('task_started', {}, 'c2'));
    progress.onEvent({ type: 'something else' });
    leave();
    progress.onEvent(told('task_running', { message: LOOKING }, 'c2'));
    expect(woken).toEqual(['c1', 'c2']);
    const before = progress.of('c1');
    progress.onEvent(told('task_running', { message: LOOKING }, 'c2'));
    expect(progress.of('c1')).toBe(before);
  });

  it('[web.subagents.steps] are read from the namespace of their call', () => {
    expect(innerNamespace('', 'call_1')).toBe('tools:call_1');
    expect(innerNamespace('tools:call_1', 'a|b c')).toBe('tools:call_1|tools:a_b_c');
  });
});

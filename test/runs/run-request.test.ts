// The request as the row of a run stores it.
import { expect, it } from 'vitest';
import { humanMessage } from '../../src/messages/message.ts';
import { runBodySchema, toRunRequest } from '../../src/runs/request/run-body.ts';
import { fromKwargs, toKwargs } from '../../src/runs/request/run-request.ts';

const defaults = { recursionLimit: 25, multitaskStrategy: 'reject' } as const;

it('is the same request when read back', () => {
  const body = runBodySchema.parse({
    input: { messages: [{ role: 'user', content: 'hi' }] },
    context: { model_name: 'demo', thinking_enabled: false, subagent_enabled: true, restore_files: true },
    config: { recursion_limit: 7 },
    stream_mode: ['updates', 'events'],
    stream_subgraphs: true,
    on_disconnect: 'cancel',
    on_completion: 'delete',
    checkpoint_id: 'c',
    interrupt_before: '*',
    interrupt_after: 'tools',
    webhook: 'https://example.com/hook',
    command: { resume: null, update: { title: 'Tea' }, goto: 'model' },
  });
  const { assistantId, chosen, metadata, multitaskStrategy, createThread, ...rest } = toRunRequest(
    body,
    defaults,
    () => 'm',
  );
  const { followUpToRunId, delayMs, idempotencyKey, ...kept } = rest;
  const stored = {
    ...kept,
    agent: { agentId: 'a', version: 3 },
    task: { subagent: 'general-purpose', parentThreadId: 't' },
    answers: 'asked',
  };
  const row = toKwargs(stored, [JSON.parse(JSON.stringify(humanMessage('m', 'hi')))]);
  expect(fromKwargs(JSON.parse(JSON.stringify(row)))).toEqual(stored);
});

it('can be read from a row of the first release, which stored less', () => {
  const row = {
    input: { messages: [{ type: 'human', id: 'm', content: 'hi' }] },
    config: { recursion_limit: 100 },
    thinking_enabled: true,
    is_plan_mode: false,
    stream_mode: ['values'],
    on_disconnect: 'continue',
    delete_thread: false,
  };
  expect(fromKwargs(row)).toEqual({
    messages: row.input.messages,
    options: {
      thinking: true,
      planMode: false,
      recursionLimit: 100,
      interruptBefore: [],
      interruptAfter: [],
    },
    modes: ['values'],
    subgraphs: false,
    onDisconnect: 'continue',
    deleteThread: false,
    restoreFiles: false,
  });
});

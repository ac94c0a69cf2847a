// Long tasks in the middle of which the provider fails, lies or breaks off.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createModels } from '../../src/models/create-models.ts';
import { modelsOptionsSchema } from '../../src/models/model-options.ts';
import { type Answer, answer } from '../support/model-server/answer.ts';
import { step } from '../support/model-server/step.ts';
import { startModelServer } from '../support/model-server.ts';
import { QUICK_RETRIES } from '../support/service.ts';
import { append, calls, delegate, type LongTasks, openLongTasks, read, WINDOW, write } from './long-task.ts';

const SUCCESS = { status: 'success', stop_reason: 'completed' };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);
const line = (n: number) => `line ${n}\n`;
const cutCall = answer.script(
  step.callPiece({ index: 0, id: 'cut', name: 'write_file', args: '{"path": "/mnt' }),
  step.finish('length'),
  step.usage({ prompt: 10, completion: 5 }),
  step.done(),
);

let tasks: LongTasks;
beforeAll(async () => {
  tasks = await openLongTasks();
});
afterAll(() => tasks.close());

/** Ten lines are written one after another; behind the fifth one the provider answers so first. */
async function tenLines(...faults: readonly Answer[]) {
  const ended = await tasks.run({
    asks: 'Write ten lines, one at a time.',
    answers: [
      ...range(5).map((n) => calls(append('lines.txt', line(n)))),
      ...faults,
      ...range(5).map((n) => calls(append('lines.txt', line(n + 5)))),
      answer.text('Ten lines are written.'),
    ],
  });
  return { ...ended, text: await ended.file('lines.txt') };
}

describe('[tasks.provider] a provider that fails in the middle of a task', () => {
  it.each<[string, readonly Answer[]]>([
    ['is asked again when it is overloaded', [answer.overloaded(), answer.rateLimited('0')]],
    ['is asked again when it fails', [answer.serverError(), answer.serverError(503)]],
    ['is asked again when the connection is refused', [answer.resetBeforeHeaders()]],
    ['is asked again when it says nothing', [answer.text('')]],
    ['is asked again when a call is cut off', [cutCall]],
    ['is asked again when the arguments are no JSON', [answer.truncatedToolJson('write_file')]],
    ['is asked again when it breaks off in the middle of a word', [answer.breakMidStream('I will now wri')]],
    ['is asked again when an error comes in the stream', [answer.errorMidStream('I will')]],
    ['is asked again when it ends without saying so', [answer.endWithoutFinish('I will')]],
    [
      'is asked again after one fault upon another',
      [answer.serverError(), answer.text(''), answer.overloaded()],
    ],
  ])('%s: each line is written once', async (_, faults) => {
    const { run, text, messages } = await tenLines(...faults);
    expect(run).toMatchObject(SUCCESS);
    expect(text).toBe(range(10).map(line).join(''));
    expect(messages.at(-1)?.content).toBe('Ten lines are written.');
  });

  it.each<[string, readonly Answer[], string]>([
    ['refuses its key', [answer.unauthorized()], 'model_error'],
    ['holds its answer back', [answer.text('', { finishReason: 'content_filter' })], 'model_error'],
  ])('%s: the run ends with a sentence, and the next message goes on', async (_, faults, reason) => {
    const begun = { asks: 'Write two lines.', answers: [calls(append('two.txt', line(1))), ...faults] };
    const { run, threadId } = await tasks.run(begun);
    expect(run).toMatchObject({ status: 'error', stop_reason: reason });
    expect(run.error).toMatch(/\.$/);
    const next = await tasks.run(
      { asks: 'Go on.', answers: [calls(append('two.txt', line(2))), answer.text('Two lines.')] },
      threadId,
    );
    expect(next.run).toMatchObject(SUCCESS);
    expect(await next.file('two.txt')).toBe('line 1\nline 2\n');
  });

  it('calls that share an id, or have none, are answered one each', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Look at four files.',
      answers: [
        calls(...range(4).map((n) => write(`${n}.txt`, `${n}`))),
        answer.duplicateIds([read('1.txt'), read('2.txt')]),
        answer.missingIds([read('3.txt'), read('4.txt')]),
        answer.wrongIndices([read('1.txt'), read('4.txt')]),
        answer.text('One to four.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    const results = messages.filter(({ name }) => name === 'read_file').map(({ content }) => content.trim());
    expect(results.map((it) => it.at(-1))).toEqual(['1', '2', '3', '4', '1', '4']);
  });

  it('a sub-agent whose provider fails for a while does its task all the same', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Have it looked up.',
      answers: [calls(delegate('look it up')), answer.serverError(), answer.text('Done.')],
      subagents: {
        'look it up': [
          answer.overloaded(),
          calls(read('x')),
          answer.breakMidStream('It'),
          answer.text('It is x.'),
        ],
      },
    });
    expect(run).toMatchObject(SUCCESS);
    expect(messages.find(({ name }) => name === 'task')?.content).toContain('It is x.');
  });
});

it('[tasks.provider] a model that is down in the middle of a task is replaced by another one, which knows all of it', async () => {
  const [first, second] = await Promise.all([startModelServer(), startModelServer()]);
  const entry = { provider: 'openai-compatible', model: 'm', api_key: 'k', context_window: WINDOW };
  const entries = modelsOptionsSchema.parse([
    { ...entry, name: 'first', base_url: first.url, fallbacks: ['second'] },
    { ...entry, name: 'second', base_url: second.url },
  ]);
  const fallen = await openLongTasks({ models: createModels(entries, { backoff: QUICK_RETRIES }) });
  try {
    first.enqueue(...range(5).map((n) => calls(append('lines.txt', line(n)))));
    first.onRequest(() => answer.serverError());
    second.enqueue(
      ...range(5).map((n) => calls(append('lines.txt', line(n + 5)))),
      answer.text('Ten lines are written.'),
    );
    const { run, file } = await fallen.run({ asks: 'Write ten lines, one at a time.', answers: [] });
    expect(run).toMatchObject(SUCCESS);
    expect(await file('lines.txt')).toBe(range(10).map(line).join(''));
    const [prompt] = second.requests.map(({ body }) => JSON.stringify(body.messages));
    for (const n of range(5)) expect(prompt).toContain(`line ${n}`);
  } finally {
    await fallen.close();
    await Promise.all([first.close(), second.close()]);
  }
});

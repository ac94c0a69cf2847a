// Long tasks whose tools fail: the agent reads why, goes on, and ends what it was asked for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import {
  append,
  called,
  calls,
  delegate,
  flaky,
  type LongTasks,
  openLongTasks,
  read,
  replace,
  write,
} from './long-task.ts';

const SUCCESS = { status: 'success', stop_reason: 'completed' };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

let tasks: LongTasks;
beforeAll(async () => {
  tasks = await openLongTasks();
});
afterAll(() => tasks.close());

describe('[tasks.tools] a task whose tools fail ends in the expected state', () => {
  it('files that are missing are reported, and the others are read', async () => {
    const { run, messages, file } = await tasks.run({
      asks: 'Gather the notes of the twelve days into one report.',
      answers: [
        ...range(12)
          .filter((day) => day % 3 !== 0)
          .map((day) => calls(write(`day-${day}.md`, `day ${day}: sun`))),
        ...range(12).map((day) => calls(read(`day-${day}.md`))),
        calls(write('report.md', 'Days 3, 6, 9 and 12 have no notes.')),
        answer.text('The report is there; four days are missing.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(messages.filter(({ status }) => status === 'error')).toHaveLength(4);
    expect(await file('report.md')).toBe('Days 3, 6, 9 and 12 have no notes.');
  });

  it('a service that fails repeatedly responds in the end', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Ask the three services how they are.',
      answers: [
        ...['mail', 'shop', 'wiki'].flatMap((name) => [
          calls(flaky(name, 2)),
          calls(flaky(name, 2), read(`why-${name}.md`)),
          calls(flaky(name, 2)),
        ]),
        answer.text('All three are fine.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(messages.filter(({ content }) => content.endsWith('is fine'))).toHaveLength(3);
  });

  it('arguments that a tool refuses are mended by what it says', async () => {
    const { run, messages, file } = await tasks.run({
      asks: 'Write the list of guests.',
      answers: [
        calls(called('write_file', { path: 7 })),
        calls(called('write_file', { description: 'x', path: 'guests.md', content: 'Ann' })),
        calls(called('write_files', {})),
        calls(write('guests.md', 'Ann')),
        calls(append('guests.md', ', Bob')),
        calls(replace('guests.md', 'Eve', 'Dan')),
        calls(replace('guests.md', 'Bob', 'Dan')),
        answer.text('Ann and Dan are on it.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(messages.filter(({ status }) => status === 'error').length).toBeGreaterThanOrEqual(3);
    expect(await file('guests.md')).toBe('Ann, Dan');
  });

  it('of many calls in one reply only the failing ones fail', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Write twenty files at once, and read thirty.',
      answers: [
        calls(...range(20).map((n) => write(`f${n}`, `${n}`))),
        calls(...range(30).map((n) => read(`f${n}`))),
        answer.text('Twenty of thirty.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    const results = messages.filter(({ type }) => type === 'tool').slice(20);
    expect(results.map(({ status }) => status)).toEqual(
      range(30).map((n) => (n <= 20 ? 'success' : 'error')),
    );
  });

  it('a sub-agent that cannot do its task says so, and the others continue', async () => {
    const { run, messages, file } = await tasks.run({
      asks: 'Have three gardens looked at.',
      answers: [
        calls(delegate('the north garden'), delegate('the east garden'), delegate('the south garden')),
        calls(delegate('the east garden once more')),
        calls(write('gardens.md', 'all three')),
        answer.text('All three are looked at.'),
      ],
      subagents: {
        'the north garden': [calls(read('north.md')), answer.text('Roses.')],
        'the east garden': [answer.unauthorized()],
        'the south garden': [calls(flaky('gate', 1)), calls(flaky('gate', 1)), answer.text('Figs.')],
        'the east garden once more': [answer.text('Herbs.')],
      },
    });
    expect(run).toMatchObject(SUCCESS);
    const results = messages.filter(({ type, name }) => type === 'tool' && name === 'task');
    expect(results.map(({ status }) => status)).toEqual(['success', 'error', 'success', 'success']);
    expect(await file('gardens.md')).toBe('all three');
  });

  it('a round of calls without progress is warned about, and a new way is taken', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Find the key.',
      answers: [
        ...range(4).map(() => calls(read('key.md'))),
        calls(write('key.md', 'under the mat')),
        calls(read('key.md')),
        answer.text('Under the mat.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(messages.at(-2)?.content).toContain('under the mat');
  });

  it.each([
    ['the same call', 6, () => [read('nothing.md')]],
    ['two calls in turn', 12, (n: number) => [n % 2 === 0 ? read('here.md') : read('there.md')]],
  ])('%s for ever ends as a loop, and what was done stays', async (_, times, next) => {
    const { run, file, messages } = await tasks.run({
      asks: 'Go on until it is there.',
      answers: [calls(write('begun.md', 'yes')), ...range(times).map((n) => calls(...next(n)))],
    });
    expect(run).toMatchObject({ status: 'error', stop_reason: 'loop_detected' });
    expect(await file('begun.md')).toBe('yes');
    expect(messages.at(-1)?.type).toBe('tool');
  });

  it('the same failing call with other arguments each time is work, not a loop', async () => {
    const { run } = await tasks.run({
      asks: 'Try the twenty doors.',
      answers: [...range(20).map((n) => calls(read(`door-${n}`))), answer.text('All are shut.')],
    });
    expect(run).toMatchObject(SUCCESS);
  });

  it('too many steps end the run with a sentence, and the next message continues', async () => {
    const fields = { config: { recursion_limit: 10 } };
    const { run, threadId } = await tasks.run({
      asks: 'Count to a hundred, one file a number.',
      answers: range(10)
        .map((n) => calls(write(`${n}`, `${n}`)))
        .slice(0, 5),
      fields,
    });
    expect(run).toMatchObject({ stop_reason: 'max_steps' });
    const next = await tasks.run(
      { asks: 'Go on.', answers: [calls(read('5')), answer.text('Six is next.')] },
      threadId,
    );
    expect(next.run).toMatchObject(SUCCESS);
  });
});

// Long tasks that do not fit the window of the model: huge outputs, many steps, a provider that refuses the prompt.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answer } from '../support/model-server/answer.ts';
import {
  append,
  calls,
  delegate,
  flooding,
  type LongTasks,
  openLongTasks,
  printing,
  read,
  SUMMARY,
  WINDOW,
  write,
} from './long-task.ts';

const SUCCESS = { status: 'success', stop_reason: 'completed' };
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

let tasks: LongTasks;
beforeAll(async () => {
  tasks = await openLongTasks();
});
afterAll(() => tasks.close());

describe('[tasks.prompts] a task that does not fit the window ends in the expected state', () => {
  it('forty pages are read within the window, and what was asked stays in each prompt', async () => {
    const { run, file, largestPrompt, summaries } = await tasks.run({
      asks: 'Read the forty pages and note what you find, in notes.md.',
      answers: [
        ...range(40).flatMap((n) => [
          calls(flooding(8_000, `page ${n}`), append('notes.md', `page ${n}: nothing\n`)),
        ]),
        answer.text('Nothing of interest on forty pages.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect((await file('notes.md')).split('\n')).toHaveLength(41);
    expect(summaries).toBeGreaterThan(2);
    expect(largestPrompt).toBeLessThanOrEqual(WINDOW);
  });

  it('a result of a megabyte is shortened, and its middle can be read', async () => {
    const { run, messages } = await tasks.run({
      asks: 'What does the flood say?',
      answers: [
        calls(printing(30_000, 'flood')),
        calls(write('after.md', 'read it')),
        answer.text('Nothing.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    const shown = messages.find(({ name }) => name === 'bash')?.content ?? '';
    expect(shown.length).toBeLessThan(40_000);
    expect(shown).toMatch(/middle truncated: \d+ chars skipped/);
  });

  it('ten huge outputs one after another make summaries, not failures', async () => {
    const { run, summaries } = await tasks.run({
      asks: 'Look at ten floods.',
      answers: [...range(10).map((n) => calls(printing(6_000, `flood ${n}`))), answer.text('All the same.')],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(summaries).toBeGreaterThan(1);
  });

  it('[tasks.room] ten huge outputs share the available space, and a small one among them is complete', async () => {
    const { run, messages } = await tasks.run({
      asks: 'Look at ten floods at once.',
      answers: [
        calls(printing(10, 'brook'), ...range(10).map((n) => printing(6_000, `flood ${n}`))),
        answer.text('All the same.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    const [brook, ...floods] = messages.filter(({ type }) => type === 'tool').map(({ content }) => content);
    expect(brook?.match(/brook/g)).toHaveLength(10);
    for (const it of floods) expect(it).toMatch(/chars skipped[\s\S]*\/outputs\/\.tool-results\/bash-/);
    expect(Math.max(...floods.map((it) => it.length))).toBeLessThan(WINDOW / 11 + 500);
  });

  it('a prompt that the provider finds too long is shortened, and the task continues', async () => {
    const { run, summaries, file } = await tasks.run({
      asks: 'Write ten chapters.',
      answers: [
        ...range(5).map((n) => calls(append('book.md', `${n}. ${'and so on '.repeat(300)}\n`))),
        answer.contextOverflow(),
        ...range(5).map((n) => calls(append('book.md', `${n + 5}.\n`))),
        answer.text('Ten chapters.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(summaries).toBe(1);
    expect((await file('book.md')).trim().split('\n')).toHaveLength(10);
  });

  it('a summary that fails does not end the run', async () => {
    const { run, summaries } = await tasks.run({
      asks: 'Read eight pages, whatever becomes of your notes.',
      answers: [...range(8).map((n) => calls(flooding(12_000, `page ${n}`))), answer.text('Read.')],
      summaries: [answer.text('')],
    });
    expect(run).toMatchObject(SUCCESS);
    expect(summaries).toBeGreaterThan(0);
  });

  it('a prompt that is refused twice ends the run with a sentence, and the thread can continue', async () => {
    const { run, threadId, file } = await tasks.run({
      asks: 'Write a page.',
      answers: [
        calls(write('page.md', 'and so on '.repeat(200))),
        calls(append('page.md', '.')),
        answer.contextOverflow(),
        answer.contextOverflow(),
      ],
    });
    expect(run).toMatchObject({ status: 'error', stop_reason: 'context_overflow' });
    expect(await file('page.md')).toMatch(/and so on \.$/);
    const next = await tasks.run({ asks: 'Is it there?', answers: [answer.text('It is.')] }, threadId);
    expect(next.run).toMatchObject(SUCCESS);
  });

  it('a thread of twenty turns with pages in each stays within the window', async () => {
    let threadId: string | undefined;
    const largest: number[] = [];
    for (const turn of range(20)) {
      const ended = await tasks.run(
        {
          asks: `Turn ${turn}: read the page of the day.`,
          answers: [calls(flooding(10_000, `page ${turn}`)), answer.text(`Read page ${turn}.`)],
        },
        threadId,
      );
      expect(ended.run).toMatchObject(SUCCESS);
      largest.push(ended.largestPrompt);
      threadId = ended.threadId;
    }
    expect(Math.max(...largest.slice(10))).toBeLessThanOrEqual(WINDOW);
  });

  it('a sub-agent reads more than its window holds, and its agent reads its result alone', async () => {
    const { run, largestPrompt, summaries, messages } = await tasks.run({
      asks: 'Have the archive read.',
      answers: [calls(delegate('the archive')), answer.text('It is read.')],
      subagents: {
        'the archive': [
          ...range(16).map((n) => calls(flooding(9_000, `box ${n}`))),
          answer.text('Sixteen boxes, nothing in them.'),
        ],
      },
    });
    expect(run).toMatchObject(SUCCESS);
    expect(summaries).toBeGreaterThan(0);
    expect(largestPrompt).toBeLessThanOrEqual(WINDOW);
    expect(messages.find(({ name }) => name === 'task')?.content).toContain('Sixteen boxes');
  });

  it('after a summary the next turn knows it', async () => {
    const { threadId, summaries } = await tasks.run({
      asks: 'Read nine pages.',
      answers: [...range(9).map((n) => calls(flooding(12_000, `page ${n}`))), answer.text('Read.')],
    });
    expect(summaries).toBeGreaterThan(0);
    await tasks.run({ asks: 'Where are your notes?', answers: [answer.text('In notes.md.')] }, threadId);
    expect(JSON.stringify(tasks.test.model.requests.at(-1)?.body.messages)).toContain(SUMMARY);
  });

  it('a long text that the agent wrote itself gives way, and can be read again in parts', async () => {
    const { run, threadId } = await tasks.run({
      asks: 'Translate it.',
      answers: [
        calls(write('long.md', 'olives and bread\n'.repeat(4_000))),
        calls(read('long.md')),
        calls(read('long.md'), write('short.md', 'Oliven')),
        answer.text('Oliven.'),
      ],
    });
    expect(run).toMatchObject(SUCCESS);
    const next = await tasks.run({ asks: 'Thanks.', answers: [answer.text('Gladly.')] }, threadId);
    expect(next.run).toMatchObject(SUCCESS);
  });
});

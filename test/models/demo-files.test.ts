// Results of the demo model that a person can inspect: files that it writes and presents, commands that it
// runs.
import { describe, expect, it } from 'vitest';
import { aiMessage, type Message, toolMessage } from '../../src/messages/message.ts';
import { answerTo, said } from './demo-answers.ts';

const OUTPUTS = '/mnt/user-data/outputs';

/** Returns the replies to one sentence while each call gets the next result. */
async function conversation(text: string, results: readonly { content: string; status?: 'error' }[]) {
  let messages: Message[] = said(text);
  const left = [...results];
  const answers = [await answerTo(messages)];
  for (let step = 1; (answers.at(-1)?.finish.toolCalls.length ?? 0) > 0; step += 1) {
    const calls = answers.at(-1)?.finish.toolCalls ?? [];
    const replies = calls.map((call, index) =>
      toolMessage(`t${step}-${index}`, call, left.shift() ?? { content: 'OK' }),
    );
    messages = [...messages, aiMessage(`a${step}`, '', { tool_calls: calls }), ...replies];
    answers.push(await answerTo(messages));
  }
  return answers.map(({ text: words, finish }) => ({ words, calls: finish.toolCalls }));
}

describe('files for the person', () => {
  it('[models.demo.present] presents the files that it wrote into the outputs, then reports it', async () => {
    const [writes, presents, ends] = await conversation('write outputs/tea.md: two leaves', []);
    expect(writes?.calls.map(({ name }) => name)).toEqual(['write_file']);
    expect(presents?.calls).toMatchObject([
      { name: 'present_files', args: { filepaths: [`${OUTPUTS}/tea.md`] } },
    ]);
    expect(ends?.words).toContain('I wrote 2 words');
  });

  it('[models.demo.present] makes a report of a document, a table and a page', async () => {
    const [writes, presents, ends] = await conversation('make a report about tea <b>honey</b>', []);
    const files = Object.fromEntries(
      (writes?.calls ?? []).map(({ args }) => [String(args.path).split('.').at(-1), String(args.content)]),
    );
    expect(files.md).toContain('# A report about tea');
    expect(files.csv).toMatch(/^letter,times\n/);
    expect(files.html).toContain('&lt;b&gt;');
    expect(presents?.calls[0]?.args.filepaths).toHaveLength(3);
    expect(ends?.words).toContain('The report is done');
  });

  it('[models.demo.results] reads a file before it changes it, and confirms the change', async () => {
    const text = 'replace milk with "oat milk" in NOTES.md';
    const path = '/mnt/user-data/workspace/NOTES.md';
    const [reads, changes, ends] = await conversation(text, [{ content: 'milk' }, { content: 'OK' }]);
    expect(reads?.calls).toMatchObject([{ name: 'read_file', args: { path } }]);
    const args = { path, old_str: 'milk', new_str: 'oat milk' };
    expect(changes?.calls).toMatchObject([{ name: 'str_replace', args }]);
    expect(ends?.words).toContain('“milk” is now “oat milk”');
    expect(ends?.words).not.toContain('says');
    const missing = await conversation(text, [{ content: 'Error: No such file', status: 'error' }]);
    expect(missing.map(({ calls }) => calls.length)).toEqual([1, 0]);
  });

  it('[models.demo.present] presents no file that it did not write', async () => {
    const failure = { content: 'Error: the disk is full', status: 'error' } as const;
    const answers = await conversation('make a report about tea', [{ content: 'OK' }, failure]);
    expect(answers).toHaveLength(2);
    expect(answers.at(-1)?.words).toContain('That did not work');
  });

  it('[models.demo.command] runs a command and reports how it ended', async () => {
    const ended = async (content: string) => (await conversation('run ls -la', [{ content }])).at(-1)?.words;
    expect(await ended('total 0')).toBe('`ls -la` is done.');
    expect(await ended('(no output)')).toContain('It said nothing');
    expect(await ended('ls: no\nExit Code: 2')).toContain('exit code 2');
  });
});

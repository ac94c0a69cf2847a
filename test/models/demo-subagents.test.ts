// The tasks that the demo model gives to sub-agents, and its use of their replies.
import { describe, expect, it } from 'vitest';
import { aiMessage, toolMessage } from '../../src/messages/message.ts';
import { answerTo, firstCall, said } from './demo-answers.ts';

describe('sub-agents of the demo model', () => {
  const task = (prompt: string) => ({
    name: 'task',
    args: { description: prompt, prompt, subagent_type: 'general-purpose' },
  });

  it('[models.demo.subagents] get a prompt each', async () => {
    const expected = ['list the files', 'summarise notes.md'].map(task);
    expect(await firstCall('In parallel: list the files; summarise notes.md')).toEqual(expected);
    expect(await firstCall('Please do in parallel:\n- list the files\n2. summarise notes.md')).toEqual(
      expected,
    );
    expect(await firstCall('at the same time: count to 3')).toEqual([task('count to 3')]);
  });

  it('[models.demo.subagents] get a short description of a long prompt', async () => {
    const prompt = `summarise: ${'word '.repeat(60)}end`;
    const [call] = await firstCall(`in parallel: ${prompt}`);
    expect(call?.args.prompt).toBe(prompt);
    expect(String(call?.args.description)).toHaveLength(80);
  });

  it('[models.demo.subagents] are reported in one text, each under its task, whichever was done first', async () => {
    const messages = said('In parallel: list the files; count to 3; summarise notes.md');
    const { finish } = await answerTo(messages);
    const asked = aiMessage('a-calls', '', { tool_calls: finish.toolCalls });
    const [files, count, notes] = finish.toolCalls;
    if (files === undefined || count === undefined || notes === undefined) throw new Error('no calls');
    const { text } = await answerTo([
      ...messages,
      asked,
      toolMessage('t1', count, { content: '1 2 3' }),
      toolMessage('t2', notes, { content: 'Error: no such file', status: 'error' }),
      toolMessage('t3', files, { content: 'a.md' }),
    ]);
    expect(text).toMatch(
      /^2 of 3 .*### list the files\n\na\.md\n\n### count to 3\n\n1 2 3\n\n### summarise notes\.md\n\nThat did not work/s,
    );
  });

  it('[models.demo.subagents] are not used where the request does not offer them', async () => {
    const { finish, text } = await answerTo(said('in parallel: count to 3'), { tools: [] });
    expect(finish.toolCalls).toEqual([]);
    expect(text).toContain('`task`');
  });
});

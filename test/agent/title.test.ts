// The title of a thread after its first question.
import { describe, expect, it } from 'vitest';
import { titleFromQuestion } from '../../src/agent/middleware/title.ts';

describe('a title', () => {
  it('[agent.title] is the first line of the question, without marks, cut at a word', () => {
    expect(titleFromQuestion('\n## Plan *my*   week\nplease')).toBe('Plan *my* week');
    expect(titleFromQuestion('word '.repeat(30))).toBe(`${'word '.repeat(12).trim()}…`);
    expect(titleFromQuestion('```js\nlet a = 1;\n```')).toBe('let a = 1;');
    expect(titleFromQuestion('')).toBe('New conversation');
    expect([...titleFromQuestion('😀'.repeat(100))]).toHaveLength(61);
  });
});

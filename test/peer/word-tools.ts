// The tools of the peer's recorded agent, as tools of the service.
import { z } from 'zod';
import { defineTool, result, type Tool } from '../../src/tools/tool.ts';

export const WORD_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'look_up',
    description: 'Looks a word up.',
    input: z.object({ word: z.string() }),
    effect: 'read',
    run: async ({ word }) => {
      if (word === 'xyzzy') throw new Error('There is no such word.');
      return result(`${word} is a word.`);
    },
  }),
  defineTool({
    name: 'count',
    description: 'Counts letters.',
    input: z.object({ word: z.string() }),
    effect: 'read',
    run: async ({ word }, { emit }) => {
      emit({ type: 'progress', letters: word.length });
      return result(String(word.length));
    },
  }),
  defineTool({
    name: 'ask',
    description: 'Asks the person.',
    input: z.object({ question: z.string() }),
    effect: 'read',
    run: async ({ question }, { interrupt }) => result(`They said: ${interrupt({ question })}`),
  }),
];

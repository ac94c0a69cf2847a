// `tool_search`: finds tools of tool servers whose schemas the model has not been shown yet, and shows them.
import { z } from 'zod';
import { defineTool, failure, result, type Tool } from './tool.ts';

export const TOOL_SEARCH = 'tool_search';
/** Field of the state: the tools that were found, which are shown from then on. */
export const FOUND_TOOLS = 'found_tools';

type SearchedTool = Pick<Tool, 'name' | 'description'>;

const MAX_FOUND = 10;
const MAX_QUERY = 500;
const MAX_WORDS = 20;
const SHOWN_DESCRIPTION = 300;

/** Exact names come first, then tools that match the most words. Found tools can be called next. */
export function createToolSearch(tools: readonly SearchedTool[]): Tool {
  return defineTool({
    name: TOOL_SEARCH,
    description:
      'Finds tools of the connected tool servers by words or by exact names. Tools that are found can be called in your next step; before, you do not see their arguments.',
    input: z.object({
      query: z
        .string()
        .trim()
        .min(1)
        .max(MAX_QUERY)
        .describe('Words for what you want to do, or names of tools, separated by spaces'),
    }),
    effect: 'read',
    run: async ({ query }) => {
      const words = [...new Set(query.toLowerCase().split(/[\s,]+/))].slice(0, MAX_WORDS);
      const found = tools
        .map((tool) => ({ tool, score: scoreOf(tool, words) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score)
        .slice(0, MAX_FOUND)
        .map(({ tool }) => tool);
      if (found.length === 0)
        return failure('Error: no tool was found. Try other words, or a name from the list of tools.');
      const lines = found.map(
        ({ name, description }) => `- ${name}: ${description.slice(0, SHOWN_DESCRIPTION).toWellFormed()}`,
      );
      return result(`These tools can be called from now on:\n${lines.join('\n')}`, {
        [FOUND_TOOLS]: found.map(({ name }) => name),
      });
    },
  });
}

const EXACT = 100;
const IN_NAME = 3;

function scoreOf({ name, description }: SearchedTool, words: readonly string[]): number {
  const inName = name.toLowerCase();
  const inDescription = description.toLowerCase();
  return words.reduce((sum, word) => {
    if (inName === word) return sum + EXACT;
    if (inName.includes(word)) return sum + IN_NAME;
    return inDescription.includes(word) ? sum + 1 : sum;
  }, 0);
}

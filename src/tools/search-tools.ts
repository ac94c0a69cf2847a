// The tools that find files: glob by name, grep by text.
import { z } from 'zod';
import type { LineMatch } from '../workspace/search/search-order.ts';
import type { WorkspaceSearch } from '../workspace/search/workspace-search.ts';
import { defineTool, failure, reason, result, type Tool, type ToolContext } from './tool.ts';

type SearchFor = (context: ToolContext) => WorkspaceSearch;

const folder = z.string().describe('Absolute path of the folder to search, like /mnt/user-data/workspace');

/** Both take virtual paths only. Every failure is a `failure` that begins with `Error: `. */
export function createSearchTools(searchFor: SearchFor): readonly Tool[] {
  return [createGlobTool(searchFor), createGrepTool(searchFor)];
}

function createGlobTool(searchFor: SearchFor): Tool {
  return defineTool({
    name: 'glob',
    description: 'Finds files by name, such as **/*.md; a pattern without "/" matches names in every folder.',
    input: z.object({
      description: reason,
      pattern: z.string().min(1).max(1_000).describe('The pattern: *, **, ?, [abc], {a,b}'),
      path: folder,
      include_dirs: z.boolean().default(false).describe('Whether folders are found as well'),
      max_results: z.int().min(1).max(1_000).default(200).describe('The most results; 200 by default'),
    }),
    effect: 'read',
    run: async ({ pattern, path, include_dirs, max_results }, context) => {
      const asked = {
        path,
        pattern,
        includeFolders: include_dirs,
        maxResults: max_results,
      };
      const { paths, complete } = await searchFor(context).glob(asked, context.signal);
      if (paths.length === 0) return result(`No files matched under ${path}`);
      const lines = paths.map((found, index) => `${index + 1}. ${found}`);
      const head = `Found ${paths.length} paths under ${path}`;
      return result([head, ...lines, ...(complete ? [] : [MORE])].join('\n'));
    },
  });
}

function createGrepTool(searchFor: SearchFor): Tool {
  return defineTool({
    name: 'grep',
    description:
      'Finds lines of text files by a regular expression. Files over 1 MiB, binary files and folders of tools ' +
      '(.git, node_modules, build ...) are passed over.',
    input: z.object({
      description: reason,
      pattern: z.string().min(1).max(1_000).describe('The regular expression; it sees one line at a time'),
      path: folder,
      glob: z
        .string()
        .min(1)
        .max(1_000)
        .nullable()
        .default(null)
        .describe('Only files that match, such as *.py'),
      literal: z.boolean().default(false).describe('Treat the pattern as plain text'),
      case_sensitive: z.boolean().default(false).describe('Distinguish upper and lower case'),
      max_results: z.int().min(1).max(500).default(100).describe('The most lines; 100 by default'),
    }),
    effect: 'read',
    run: async ({ pattern, path, glob, literal, case_sensitive, max_results }, context) => {
      const expression = literal ? pattern.replaceAll(SYNTAX, '\\$&') : pattern;
      const problem = problemOf(expression);
      if (problem !== undefined) return failure(`Error: Invalid regex pattern: ${problem}`);
      const asked = { path, expression, isCaseSensitive: case_sensitive, glob, maxResults: max_results };
      const { lines, complete } = await searchFor(context).grep(asked, context.signal);
      if (lines.length === 0) return result(`No lines matched under ${path}`);
      return result([...lines.map(shown), ...(complete ? [] : [MORE])].join('\n'));
    },
  });
}

/** Characters with a meaning in regular expressions. */
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/g;
const MORE = '... [there is more: search in a subfolder, or narrow the pattern]';

function shown({ path, line, text }: LineMatch): string {
  return `${path}:${line}: ${text}`;
}

function problemOf(expression: string): string | undefined {
  try {
    new RegExp(expression, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

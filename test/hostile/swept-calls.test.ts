// Whether the sweep for paths of the machine calls every tool.
import { expect, it } from 'vitest';
import { OWN_TOOL_NAMES } from '../../src/tools/own-tool-names.ts';
import { COMMANDS, FILE_CALLS } from './swept-calls.ts';

/** Tools that are not called, and why their results name no file of the machine. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ask_clarification: 'ends the run with a question of the model',
  web_search: 'answers what a search provider said',
  write_todos: 'answers the plan that the model wrote',
  skill_manage: 'names files of skills by their paths below the skill',
  tool_search: 'answers the names of tools',
  list_mcp_resources: 'answers what a tool server said',
  read_mcp_resource: 'answers what a tool server said',
  list_mcp_prompts: 'answers what a tool server said',
  get_mcp_prompt: 'answers what a tool server said',
};

it('[hostile.paths] every tool is swept, or says why not', () => {
  const called = new Set([...FILE_CALLS, ...COMMANDS.flat()].map(({ name }) => name));
  const left = [...OWN_TOOL_NAMES].filter((name) => !called.has(name));
  expect(left.toSorted()).toEqual(Object.keys(LEFT_OUT).toSorted());
});

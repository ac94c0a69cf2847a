// What the web app knows of every tool of the service.
import { expect, it } from 'vitest';
import { OWN_TOOL_NAMES } from '../../src/tools/own-tool-names.ts';
import { readPage } from './documents.ts';

/** Tools that may change files of the thread: their turns have a record of changes. */
const CHANGE_FILES = [
  'bash',
  'write_file',
  'str_replace',
  'task',
  // These store what is not text in files.
  'read_mcp_resource',
  'get_mcp_prompt',
];

it('[web.tool.words] the web app has words for every tool of the service, and for no others', async () => {
  const text = await readPage('web/src/conversation/tool-words.ts');
  const [, words = ''] = /^const WORDS = new Map\(\[\n([\s\S]*?)^\]\);/m.exec(text) ?? [];
  const named = [...words.matchAll(/^ {2}\['(\w+)', /gm)].map(([, name = '']) => name);
  expect(named.toSorted()).toEqual([...OWN_TOOL_NAMES].toSorted());
});

it('[web.changes] the web app knows of every tool whether it may change files', async () => {
  const text = await readPage('web/src/changes/turn-record.ts');
  const [, names = ''] = /^const READ_ONLY_TOOLS\b.*\[\n([\s\S]*?)^\]\);/m.exec(text) ?? [];
  const readOnly = [...names.matchAll(/^ {2}'(\w+)',$/gm)].map(([, name = '']) => name);
  expect([...readOnly, ...CHANGE_FILES].toSorted()).toEqual([...OWN_TOOL_NAMES].toSorted());
});

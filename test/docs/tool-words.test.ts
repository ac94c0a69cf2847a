// People read words for every tool of the service, and not its name.
import { expect, it } from 'vitest';
import { OWN_TOOL_NAMES } from '../../src/tools/own-tool-names.ts';
import { readPage } from './documents.ts';

it('[web.tool.words] the web app has words for every tool of the service, and for no others', async () => {
  const text = await readPage('web/src/conversation/tool-words.ts');
  const [, words = ''] = /^const WORDS = new Map\(\[\n([\s\S]*?)^\]\);/m.exec(text) ?? [];
  const named = [...words.matchAll(/^ {2}\['(\w+)', /gm)].map(([, name = '']) => name);
  expect(named.toSorted()).toEqual([...OWN_TOOL_NAMES].toSorted());
});

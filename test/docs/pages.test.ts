// What the pages say about the repository is so: files exist, rooms are named.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, ROOT, readPage } from './documents.ts';

/** Targets of links, without anchors and other sites. */
function linkedFiles(text: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Paths in backticks that begin with a folder of the repository; those with a placeholder are patterns. */
function namedFiles(text: string): string[] {
  const paths = [...text.matchAll(/`((?:src|test|docs|scripts|bench|web)\/[^`\s]*)`/g)];
  return paths.map(([, path = '']) => path).filter((path) => !/[<>*{}]/.test(path));
}

it('[docs.links] every link and every path in the pages leads to a file', async () => {
  const missing = [...(await allPages())].flatMap(([page, text]) => [
    ...linkedFiles(text)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
    ...namedFiles(text)
      .filter((path) => !existsSync(join(ROOT, path)))
      .map((path) => `${page}: ${path}`),
  ]);
  expect(missing).toEqual([]);
});

it('[docs.rooms] the architecture page names every folder of src', async () => {
  const page = await readPage('docs/architecture.md');
  const entries = await readdir(join(ROOT, 'src'), { withFileTypes: true });
  const rooms = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(rooms.filter((room) => !page.includes(`\`${room}/\``))).toEqual([]);
});

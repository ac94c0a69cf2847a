// What the pages say about the repository is so: files exist, modules are named.
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

const OWN_FOLDERS = ['src', 'test', 'docs', 'scripts', 'bench', 'web'];

/** Paths in backticks that begin with a folder of the repository, and sources by the end of their path. */
function namedFiles(text: string): string[] {
  const quoted = [...text.matchAll(/`([\w./<>*-]+)`/g)].map(([, path = '']) => path);
  return quoted.filter((path) => {
    const [first = '', ...rest] = path.split('/');
    return (rest.length > 0 && OWN_FOLDERS.includes(first)) || /[\w>]\.(ts|tsx|cjs)$/.test(path);
  });
}

/** Every file and folder of the repository that pages may name. */
async function allPaths(): Promise<readonly string[]> {
  const inFolders = OWN_FOLDERS.map(async (folder) => {
    const entries = await readdir(join(ROOT, folder), { recursive: true });
    return entries.filter((it) => !it.includes('node_modules')).map((it) => `${folder}/${it}`);
  });
  return [...(await readdir(ROOT)), ...(await Promise.all(inFolders)).flat()];
}

/** `<name>` and `*` stand for any name. */
function asExpression(path: string): RegExp {
  const parts = path.replace(/\/$/, '').split(/<[^>]+>|\*/);
  return new RegExp(`(^|/)${parts.map((part) => part.replaceAll('.', '\\.')).join('[^/]+')}$`);
}

it('[docs.links] every link and every path in the pages leads to a file', async () => {
  const paths = await allPaths();
  const isThere = (path: string) => {
    const expression = asExpression(path);
    return paths.some((it) => expression.test(it));
  };
  const missing = [...(await allPages())].flatMap(([page, text]) => [
    ...linkedFiles(text)
      .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
    ...namedFiles(text)
      .filter((path) => !isThere(path))
      .map((path) => `${page}: ${path}`),
  ]);
  expect(missing).toEqual([]);
});

const architecture = await readPage('docs/architecture.md');

it('[docs.modules] the table of modules is the folders of src, each with one sentence', async () => {
  const rows = [...architecture.matchAll(/^\| `([\w-]+)\/` +\| (.+?) +\|$/gm)];
  const entries = await readdir(join(ROOT, 'src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(rows.map(([, name]) => name)).toEqual(folders.toSorted());
  // A period ends the sentence; others are in names of files.
  const others = rows.filter(([, , sentence = '']) => !/^[A-Z](?:[^.]|\.(?! ))*\.$/.test(sentence));
  expect(others.map(([, name]) => name)).toEqual([]);
});

it('[docs.modules] the table of layers of the web app has every folder of it', async () => {
  const [, section = ''] = architecture.split('\n| layer   | folders');
  const [table = ''] = section.split('\n\n', 1);
  const named = new Set([...table.matchAll(/`([\w-]+)`/g)].map(([, name]) => name));
  const entries = await readdir(join(ROOT, 'web/src'), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.filter((name) => !named.has(name))).toEqual([]);
});

it('[docs.figures] the architecture page names no figure, which could differ from the code', () => {
  const prose = architecture
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/^\d+\. /gm, '')
    .replaceAll(/\]\([^)]*\)|\[\d{4}/g, '')
    .replaceAll(/`[^`]*`/g, '');
  expect(prose.match(/.*\d.*/g) ?? []).toEqual([]);
});

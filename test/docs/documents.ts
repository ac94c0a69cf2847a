// The documentation as tests read it: its files, and the blocks of code in them.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** All pages, by their path from the root. */
export async function allPages(): Promise<ReadonlyMap<string, string>> {
  const inDocs = (await readdir(join(ROOT, 'docs'), { recursive: true })).filter((it) => it.endsWith('.md'));
  const paths = ['README.md', 'CONTRIBUTING.md', ...inDocs.map((it) => join('docs', it))];
  return new Map(await Promise.all(paths.map(async (path) => [path, await readPage(path)] as const)));
}

export function readPage(path: string): Promise<string> {
  return readFile(join(ROOT, path), 'utf8');
}

/** The only block of code in this language. */
export function blockOf(page: string, language: string): string {
  const blocks = [...page.matchAll(/^```(\S+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language);
  const [only] = blocks;
  if (blocks.length !== 1 || only === undefined) {
    throw new Error(`The page has ${blocks.length} blocks of ${language}, not one.`);
  }
  return only[2] ?? '';
}

/** The names by which links reach the headings of a page. */
export function headingsOf(page: string): ReadonlySet<string> {
  const prose = page.replaceAll(/^```[\s\S]*?^```$/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

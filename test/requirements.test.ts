// Every requirement has a test that cites it, and every citation a requirement.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { requirements } from './requirements.ts';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
/** A test title begins with the ids in brackets. */
const CITATION = /\(\s*['"`]((?:\[[a-zA-Z0-9._-]+\] )+)/g;

async function citedIds(): Promise<Set<string>> {
  // Clients that were installed for `npm run test:clients` bring tests of their own.
  const files = (await readdir(ROOT, { recursive: true })).filter(
    (file) => /\.(test|contract)\.ts$/.test(file) && !file.includes('node_modules'),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')));
  const groups = texts.flatMap((text) => [...text.matchAll(CITATION)].map(([, ids = '']) => ids));
  return new Set(groups.flatMap((ids) => ids.match(/[a-zA-Z0-9._-]+/g) ?? []));
}

it('every requirement is cited by a test, and every citation is a requirement', async () => {
  const cited = await citedIds();
  const known = new Set(Object.keys(requirements));
  expect([...known].filter((id) => !cited.has(id))).toEqual([]);
  expect([...cited].filter((id) => !known.has(id))).toEqual([]);
});

// Whoever passes a part is found by searching its name: what puts parts together neither spreads them nor gathers the rest.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { expect, it } from 'vitest';
import { ROOT } from './documents.ts';

/** The composition, the function of each module that creates it, and the list of routes. */
const WIRING = /^(service\/.+|[\w-]+\/create-[\w-]+|http\/(api-routes|app))\.ts$/;

/** What an object or a pattern of the file takes over without naming it. */
function unnamedParts(node: unknown, found: string[] = []): readonly string[] {
  if (typeof node !== 'object' || node === null) return found;
  if ('properties' in node && Array.isArray(node.properties))
    for (const { type } of node.properties)
      if (type === 'SpreadElement' || type === 'RestElement') found.push(type);
  for (const child of Object.values(node)) unnamedParts(child, found);
  return found;
}

it('[docs.wiring] no wiring passes a part without its name', async () => {
  const files = (await readdir(join(ROOT, 'src'), { recursive: true })).filter((path) => WIRING.test(path));
  expect(files.length).toBeGreaterThan(20);
  const unnamed = files.filter((path) => {
    const text = readFileSync(join(ROOT, 'src', path), 'utf8');
    return unnamedParts(parseSync(text, { syntax: 'typescript', target: 'es2024' })).length > 0;
  });
  expect(unnamed).toEqual([]);
});

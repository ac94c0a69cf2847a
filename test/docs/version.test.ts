// The number of this version is the same wherever somebody looks for it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { startCommand } from '../cli/command-process.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService } from '../support/service.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';
import { ROOT } from './documents.ts';

const manifestSchema = z.object({ version: z.string() });
const lockSchema = z.object({ packages: z.object({ '': manifestSchema, web: manifestSchema }) });

async function json(file: string): Promise<unknown> {
  return JSON.parse(await readFile(join(ROOT, file), 'utf8'));
}

it('[docs.version] the packages, the runtime, the OpenAPI document and the command line have one number', async () => {
  const { version } = manifestSchema.parse(await json('package.json'));
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  expect(manifestSchema.parse(await json('web/package.json')).version).toBe(version);
  const { packages } = lockSchema.parse(await json('package-lock.json'));
  expect([packages[''].version, packages.web.version]).toEqual([version, version]);

  const service = await openTestService();
  const client = service.client();
  expect(await jsonOf(client.get('/api/graph/info'))).toMatchObject({ version });
  expect(await jsonOf(client.get('/openapi.json'))).toMatchObject({ info: { version } });
  await service.close();

  const folder = await temporaryFolder();
  const { code, said } = await startCommand(['--version'], { dataHome: folder, cwd: folder }).ended;
  expect({ code, said }).toEqual({ code: 0, said: `${version}\n` });
});

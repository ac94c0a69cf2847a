// Programs of the service keep what Node compiles, so that it is there for the next process.
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { collectedOutput } from '../../src/processes/outcome.ts';
import { runProcess } from '../../src/processes/run-process.ts';

/** A service that keeps nothing of its own: it has compiled everything before. */
const SERVICE = `
  import { enableCompileCache } from 'node:module';
  const { askProcess } = await import(process.env.ASK);
  enableCompileCache(process.env.KEPT);
  const { signal } = new AbortController();
  const program = new URL(process.env.PROGRAM);
  console.log(await askProcess({ program, order: {}, heapMb: 64, timeoutMs: 60_000, signal }));
`;

it('a program of the service keeps what Node compiled where the service keeps it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agent-service-kept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const program = join(folder, 'program.mjs');
  await writeFile(program, 'console.log(JSON.stringify(Object.keys(process.env)));');
  const kept = join(folder, 'kept');
  const { output, stdout } = collectedOutput();
  const env = {
    KEPT: kept,
    ASK: new URL('../../src/processes/ask-process.ts', import.meta.url).href,
    PROGRAM: pathToFileURL(program).href,
  };
  await runProcess(
    { program: process.execPath, args: ['--input-type=module', '-e', SERVICE], env },
    { timeoutMs: 60_000, outputBytes: 10_000 },
    { signal: new AbortController().signal, output },
  );
  const seen = /\[([^\]]*)\]/.exec(stdout().toString())?.[1];
  expect(seen?.match(/\w+/g)?.toSorted()).toEqual(['NODE_COMPILE_CACHE', 'PWD']);
  const [version = ''] = await readdir(kept);
  expect(await readdir(join(kept, version))).toHaveLength(1);
});

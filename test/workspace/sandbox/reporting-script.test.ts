// Output that is reported early is the same output.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Bash } from 'just-bash';
import { expect, it } from 'vitest';
import { canReport, reportingScript } from '../../../src/workspace/sandbox/reporting-script.ts';
import { ShellFiles } from '../../../src/workspace/sandbox/shell-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { SCRIPTS } from './scripts.ts';

interface Ran {
  readonly stdout: string;
  /** In any order: messages of word expansion come last. */
  readonly stderr: readonly string[];
  readonly exitCode: number;
  /** The output reported before the end. */
  readonly early: string;
}

const FOLDER = '/mnt/user-data/workspace';

async function run(script: string, { early }: { readonly early: boolean }): Promise<Ran> {
  const real = join(await temporaryFolder(), 'workspace');
  await mkdir(real);
  const said: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] };
  const areas = [{ virtual: FOLDER, real }];
  const places = { areas, readOnly: [], fileBytes: 1_000_000, looseBytes: 1_000_000 };
  const fs = new ShellFiles(places, (stream, bytes) => void said[stream].push(bytes));
  const shell = new Bash({ fs, cwd: FOLDER, env: { LANG: 'C.UTF-8' } });
  let isScript = early && canReport(script);
  shell.registerTransformPlugin({
    name: 'telling',
    transform({ ast }) {
      const told = isScript ? reportingScript(ast) : ast;
      isScript = false;
      return { ast: told };
    },
  });
  const { stdout, stderr, exitCode } = await shell.exec(script);
  const text = (pieces: readonly Uint8Array[]) => Buffer.concat(pieces).toString();
  return {
    stdout: text(said.stdout) + stdout,
    stderr: (text(said.stderr) + stderr).split('\n').sort(),
    exitCode,
    early: text(said.stdout),
  };
}

it.each(SCRIPTS)('[sandbox.output] is the same, reported early or at the end: %s', async (script) => {
  const [{ early: _, ...told }, { early, ...plain }] = [
    await run(script, { early: true }),
    await run(script, { early: false }),
  ];
  expect(told).toEqual(plain);
  expect(early).toBe('');
});

it('[sandbox.output] comes from loops and branches, but not from output that other commands read', async () => {
  const script = 'for n in 1 2; do if true; then echo $n; fi; done; x=$(echo no); echo no | cat > f; echo 3';
  expect((await run(script, { early: true })).early).toBe('1\n2\n3\n');
});

// What a start runs: the build of the service, or its sources.
import { execFile } from 'node:child_process';
import { appendFile, cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startCommand } from './command-process.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A copy of the repository that shares the installed packages. */
async function copyOfRepository({ preserveTimestamps }: { readonly preserveTimestamps: boolean }) {
  const root = await mkdtemp(join(tmpdir(), 'agent-service-copy-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const name of ['dist', 'package.json', 'package-lock.json', 'scripts', 'src'])
    await cp(join(ROOT, name), join(root, name), { recursive: true, preserveTimestamps });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    start: (...args: readonly string[]) =>
      startCommand(args, {
        dataHome: join(root, '.data'),
        cwd: root,
        script: join(root, 'src', 'start.mjs'),
      }),
    /** Has a script print this line before everything else. */
    async print(line: string, script: string): Promise<void> {
      const path = join(root, script);
      await writeFile(path, `process.stdout.write('${line}\\n');\n${await readFile(path, 'utf8')}`);
    },
  };
}

/** Expects that a start in the copy runs its build. */
async function expectBuild(copy: Awaited<ReturnType<typeof copyOfRepository>>): Promise<void> {
  await copy.print('the build', 'dist/main.mjs');
  const { code, said } = await copy.start('--version').ended;
  expect(code).toBe(0);
  expect(said).toMatch(/^the build\n\d+\.\d+\.\d+/);
}

it('[start.build] runs the build of the current sources', async () => {
  await expectBuild(await copyOfRepository({ preserveTimestamps: true }));
});

it('[start.build.copied] runs it also where the sources have other times', async () => {
  await expectBuild(await copyOfRepository({ preserveTimestamps: false }));
});

it('[start.build.changed] runs the sources when they changed, and builds them for the next start', async () => {
  const copy = await copyOfRepository({ preserveTimestamps: true });
  await copy.print('the old build', 'dist/main.mjs');
  await copy.print('the new sources', 'src/main.ts');
  const service = copy.start('serve');
  onTestFinished(() => void service.child.kill('SIGKILL'));
  let said = '';
  service.child.stdout?.on('data', (piece: Buffer) => (said += piece.toString()));
  await vi.waitUntil(() => said.includes('Built the service in'), { timeout: 60_000 });
  expect(said).toMatch(/^the new sources\nAgent service/);
  service.child.kill('SIGTERM');
  expect((await service.ended).code).toBe(0);

  await copy.print('the new build', 'dist/main.mjs');
  const next = await copy.start('--version').ended;
  expect(next.said).toMatch(/^the new build\nthe new sources\n/);
});

it('[start.build.changed] builds once, although two processes find the sources changed', async () => {
  const { root } = await copyOfRepository({ preserveTimestamps: true });
  await appendFile(join(root, 'src', 'main.ts'), '\nprocess.emitWarning("changed");');
  const build = () => run(process.execPath, [join(root, 'scripts', 'build.ts')]);
  const said = (await Promise.all([build(), build()])).map(({ stdout }) => stdout);
  expect(said.filter((it) => it.startsWith('Built the service'))).toHaveLength(1);
});

it('[start.build.parts] keeps the parts of the previous build, and no older ones', async () => {
  const { root } = await copyOfRepository({ preserveTimestamps: true });
  const source = join(root, 'src', 'http', 'mcp', 'respond-to-mcp-message.ts');
  const parts = async () => {
    const names = await readdir(join(root, 'dist'));
    return names.filter((it) => it.startsWith('respond-to-mcp-message-')).sort();
  };
  /** Builds a changed part that is loaded when it is needed; returns its new name, and all that are there. */
  const build = async (change: string) => {
    const before = await parts();
    await appendFile(source, change);
    await run(process.execPath, [join(root, 'scripts', 'build.ts')]);
    const there = await parts();
    return { made: there.filter((it) => !before.includes(it)), there };
  };
  const first = await build('\nprocess.emitWarning("first");');
  const second = await build('\nprocess.emitWarning("second");');
  expect(first.made).toHaveLength(1);
  expect(second.there).toEqual([...first.made, ...second.made].sort());
});

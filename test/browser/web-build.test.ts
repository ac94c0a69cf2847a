// What is built of the web app, whoever starts the build and for whatever reason.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { PATIENCE } from '../support/web-app.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_SOURCES = ['dist', 'node_modules'];
/** Said by the React for developers alone, which is several times slower. */
const FOR_DEVELOPERS = 'Download the React DevTools for a better development experience';

it('[web.build] has the production version of React, whatever NODE_ENV says', PATIENCE, async () => {
  const root = await copyOfSources();
  const env = { ...process.env, NODE_ENV: 'development' };
  await promisify(execFile)(process.execPath, [join(root, 'scripts', 'build.ts')], { env });
  const assets = join(root, 'web', 'dist', 'assets');
  const scripts = (await readdir(assets)).filter((name) => name.endsWith('.js'));
  const texts = await Promise.all(scripts.map((name) => readFile(join(assets, name), 'utf8')));
  expect(texts.some((text) => text.includes('react.dev/errors/'))).toBe(true);
  expect(scripts.filter((_, index) => texts[index]?.includes(FOR_DEVELOPERS))).toEqual([]);
});

/** The sources of the app in a folder of their own, so that the app of the other tests stays as it is. */
async function copyOfSources(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'agent-service-build-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const isSource = (path: string) => !NOT_SOURCES.includes(basename(path));
  await cp(join(ROOT, 'web'), join(root, 'web'), { recursive: true, filter: isSource });
  for (const name of ['package.json', 'package-lock.json', 'tsconfig.json'])
    await cp(join(ROOT, name), join(root, name));
  // The service is built already.
  for (const name of ['dist', 'scripts', 'src'])
    await cp(join(ROOT, name), join(root, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  await symlink(join(ROOT, 'web', 'node_modules'), join(root, 'web', 'node_modules'));
  return root;
}

// The template leaves the house as a whole: what `npm run template -- new <folder>` makes. CI tests the copy itself.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ROOT } from '../docs/documents.ts';

const run = promisify(execFile);
const { PATH = '' } = process.env;
/** Of the template, and of no app that is made from it. */
const STAYS = ['SKILL.md', 'new.mjs'];
const packageSchema = z.object({ name: z.string(), version: z.string() });
const lockSchema = packageSchema.extend({
  packages: z.record(z.string(), z.object({ name: z.string().optional() })),
});

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'template-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** What git would know of the template; a checkout need not have git. */
async function templateFiles(): Promise<string[]> {
  const ignore = await readFile(join(ROOT, 'template/.gitignore'), 'utf8');
  const patterns = ignore
    .trim()
    .split('\n')
    .map((it) => it.replace(/\/$/, ''));
  const isIgnored = (file: string) =>
    patterns.some((it) => {
      if (it.startsWith('*')) return file.endsWith(it.slice(1));
      return it.includes('/') ? file === it : file.split('/').includes(it);
    });
  return (await filesOf(join(ROOT, 'template'))).filter((file) => !isIgnored(file));
}

/** As a skill runs it: the file alone, in another folder. */
function copy(target: string, from = join(ROOT, 'template')) {
  return run(process.execPath, [join(from, 'new.mjs'), 'new', target], { cwd: folder, env: { PATH } });
}

async function filesOf(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((it) => it.isFile())
    .map((it) => join(it.parentPath, it.name).slice(root.length + 1))
    .sort();
}

it('[template.copy] copies what git knows, and nothing that lies beside it', async () => {
  const source = join(folder, 'source');
  const files = await templateFiles();
  for (const file of files) {
    await mkdir(dirname(join(source, file)), { recursive: true });
    await cp(join(ROOT, 'template', file), join(source, file));
  }
  const ignored = [
    '.env',
    'data/app.db',
    'node_modules/x/index.js',
    'frontend/dist/index.html',
    'npm-debug.log',
  ];
  for (const file of [...ignored, 'frontend/src/api/schema.d.ts']) {
    await mkdir(dirname(join(source, file)), { recursive: true });
    await writeFile(join(source, file), 'my-app');
  }
  const { stdout } = await copy('My Shop', source);
  expect(stdout).toContain('npm ci');
  const target = join(folder, 'My Shop');
  const expected = files.filter((file) => !STAYS.includes(file));
  expect(await filesOf(target)).toEqual([...expected, '.env'].sort());

  const { name } = packageSchema.parse(JSON.parse(await readFile(join(target, 'package.json'), 'utf8')));
  const lock = lockSchema.parse(JSON.parse(await readFile(join(target, 'package-lock.json'), 'utf8')));
  expect([name, lock.name, lock.packages['']?.name]).toEqual(['my-shop', 'my-shop', 'my-shop']);
  expect(await readFile(join(target, 'config.yaml'), 'utf8')).toContain('name: "my-shop"');
  const texts = await Promise.all(expected.map((file) => readFile(join(target, file), 'utf8')));
  expect(texts.filter((text) => text.includes('my-app'))).toEqual([]);
});

it('[template.whole] brings a licence and a workflow whose scripts exist', async () => {
  await copy('shop');
  const read = (file: string) => readFile(join(folder, 'shop', file), 'utf8');
  expect(await read('LICENSE')).toBe(await readFile(join(ROOT, 'LICENSE'), 'utf8'));
  const step = z.object({ run: z.string().optional() });
  const workflow = z.object({ jobs: z.object({ test: z.object({ steps: z.array(step) }) }) });
  const { steps } = workflow.parse(parse(await read('.github/workflows/ci.yml'))).jobs.test;
  const commands = steps.flatMap(({ run: command }) => command ?? []);
  expect(commands).toEqual(['npm ci', 'npm run check', 'npm test']);
  const { scripts, license } = z
    .object({ scripts: z.record(z.string(), z.string()), license: z.string() })
    .parse(JSON.parse(await read('package.json')));
  expect([scripts.check, scripts.test, license]).toEqual([expect.any(String), expect.any(String), 'MIT']);
});

it('[template.copy] gives each copy a secret that only its owner reads, and that git does not see', async () => {
  const secrets = [];
  for (const name of ['one', 'two']) {
    await copy(name);
    const file = join(folder, name, '.env');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const [, secret = ''] = /^JWT_SECRET=([\w-]{43})\n$/.exec(await readFile(file, 'utf8')) ?? [];
    secrets.push(secret);
    expect(await readFile(join(folder, name, '.gitignore'), 'utf8')).toMatch(/^\.env$/m);
  }
  expect(new Set(secrets).size).toBe(2);
});

it('[template.refuses] refuses a folder with something in it, one without a name, and itself', async () => {
  await mkdir(join(folder, 'mine'));
  await writeFile(join(folder, 'mine', 'a'), 'kept');
  await mkdir(join(folder, 'empty'));
  await expect(copy('mine')).rejects.toMatchObject({
    code: 1,
    stderr: 'mine is not empty: choose another folder.\n',
  });
  await expect(copy('---')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('no name') });
  await expect(copy(join(ROOT, 'template', 'app'))).rejects.toMatchObject({ code: 1 });
  await expect(run(process.execPath, [join(ROOT, 'template/new.mjs')])).rejects.toMatchObject({ code: 1 });
  expect(await filesOf(join(folder, 'mine'))).toEqual(['a']);
  await copy('empty');
});

it('[template.apart] imports nothing above itself', async () => {
  for (const file of await templateFiles()) {
    const text = await readFile(join(ROOT, 'template', file), 'utf8');
    const imports = text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g);
    for (const [, path = ''] of imports)
      expect(join('template', dirname(file), path), file).toMatch(/^template\//);
  }
});

it('[template.small] can be read in an afternoon', async () => {
  const files = (await templateFiles()).filter((file) => file !== 'package-lock.json');
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, 'template', file), 'utf8')));
  expect(texts.join('').split('\n').length).toBeLessThan(3_500);
});

it('[template.apart] has the versions of the service where both use a package', async () => {
  const schema = z.object({
    dependencies: z.record(z.string(), z.string()),
    devDependencies: z.record(z.string(), z.string()),
  });
  const versions = async (file: string) => {
    const { dependencies, devDependencies } = schema.parse(
      JSON.parse(await readFile(join(ROOT, file), 'utf8')),
    );
    return { ...devDependencies, ...dependencies };
  };
  const service = { ...(await versions('web/package.json')), ...(await versions('package.json')) };
  // The one that makes the client's types needs the compiler in JavaScript, which TypeScript 7 no longer is.
  const { typescript, ...template } = await versions('template/package.json');
  expect(typescript).toMatch(/^5\./);
  const differing = Object.entries(template).filter(
    ([name, version]) => (service[name] ?? version) !== version,
  );
  expect(differing).toEqual([]);
});

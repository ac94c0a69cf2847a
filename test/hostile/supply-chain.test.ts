// Packages of others: which are taken, which of their scripts run, and what is known against them.
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { temporaryFolder } from '../workspace/temporary-folder.ts';

const ROOT = new URL('../../', import.meta.url);
const HERE = fileURLToPath(ROOT);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));

const versions = z.record(z.string(), z.string()).default({});
const manifestSchema = z.object({
  dependencies: versions,
  devDependencies: versions,
  optionalDependencies: versions,
  overrides: versions,
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});
const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.looseObject({
      version: z.string().optional(),
      integrity: z.string().optional(),
      os: z.array(z.string()).optional(),
      link: z.boolean().default(false),
      hasInstallScript: z.boolean().default(false),
    }),
  ),
});
const manifest = (path: string) => manifestSchema.parse(read(path));
const packagesOf = (path: string) =>
  Object.entries(lockSchema.parse(read(path)).packages).flatMap(([place, about]) =>
    place.includes('node_modules/') && !about.link
      ? [{ name: place.slice(place.lastIndexOf('node_modules/') + 13), ...about }]
      : [],
  );

it('[hostile.S70] every version is an exact one, and the lockfile knows the bytes of each package', () => {
  const exact = /^(?:npm:(?:@[\w-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;
  for (const path of ['package.json', 'web/package.json', 'template/package.json']) {
    const { dependencies, devDependencies, optionalDependencies, overrides } = manifest(path);
    const said = { ...dependencies, ...devDependencies, ...optionalDependencies, ...overrides };
    expect(Object.entries(said).filter(([, version]) => !exact.test(version))).toEqual([]);
  }
  for (const path of ['package-lock.json', 'template/package-lock.json'])
    expect(
      packagesOf(path)
        // The registry does not tell everybody of programs for other systems.
        .filter(({ integrity = '', os }) => os === undefined && !integrity.startsWith('sha512-'))
        .map(({ name }) => name),
    ).toEqual([]);
});

it('[hostile.S70] what gets no more fixes is no part of it', () => {
  // In this registry the name ends with 0.18.5, and what was found since then is fixed elsewhere only.
  expect(packagesOf('package-lock.json').filter(({ name }) => name === 'xlsx')).toEqual([]);
});

it('[hostile.S70] the packages whose install scripts may run are named, and no others have any', () => {
  for (const folder of ['', 'template/']) {
    const { allowScripts } = manifest(`${folder}package.json`);
    const withScripts = packagesOf(`${folder}package-lock.json`).filter(
      ({ hasInstallScript }) => hasInstallScript,
    );
    expect(withScripts.map(({ name }) => name).sort()).toEqual(Object.keys(allowScripts).sort());
    expect(readFileSync(new URL(`${folder}.npmrc`, ROOT), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  }
});

const knowsStrictScripts = execFileSync('npm', ['config', 'ls', '-l'], { encoding: 'utf8' }).includes(
  'strict-allow-scripts',
);

/** A package file with nothing but its `package.json`, as `tar` writes one. */
function packed(content: string): Buffer {
  const head = Buffer.alloc(512);
  head.write('package/package.json');
  head.write('0000644\0', 100);
  head.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('        0', 148);
  head.write('ustar\0', 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return gzipSync(Buffer.concat([head, body, Buffer.alloc(1_024)]));
}

it.skipIf(!knowsStrictScripts)(
  '[hostile.S70] a package that brings an unnamed install script is not installed',
  async () => {
    const folder = await temporaryFolder();
    cpSync(new URL('.npmrc', ROOT), join(folder, '.npmrc'));
    const scripts = { postinstall: "node -e \"require('fs').writeFileSync('../../owned', '')\"" };
    writeFileSync(
      join(folder, 'planted.tgz'),
      packed(JSON.stringify({ name: 'planted', version: '1.0.0', scripts })),
    );
    const dependencies = { planted: 'file:planted.tgz' };
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ name: 'app', version: '1.0.0', dependencies }),
    );
    const { code, said } = await run('npm', ['install', '--offline', '--no-audit', '--no-fund'], {
      cwd: folder,
    });
    expect([code === 0, said]).toEqual([false, expect.stringContaining('not covered by allowScripts')]);
    expect(said).toContain('planted@1.0.0');
  },
);

interface Ran {
  readonly code: number;
  readonly said: string;
}

interface Where {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
}

function run(program: string, args: readonly string[], { cwd, env = {} }: Where): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr }),
    );
  });
}

const ADVISORY = 'GHSA-aaaa-bbbb-cccc';

/** What `npm run audit` says against a registry that knows something of one package. */
async function audited(accepted: readonly object[], status = 200): Promise<Ran> {
  const known = {
    zod: [
      {
        id: 1,
        url: `https://github.com/advisories/${ADVISORY}`,
        title: 'Something is wrong',
        severity: 'high',
        vulnerable_versions: '*',
        cwe: [],
        cvss: { score: 0, vectorString: null },
      },
    ],
  };
  const registry = createServer((request, response) => {
    const isAsked = request.url?.includes('/advisories/bulk') === true;
    response.writeHead(isAsked ? status : 404, { 'content-type': 'application/json' });
    response.end(isAsked && status === 200 ? JSON.stringify(known) : '{}');
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  onTestFinished(() => void registry.close());
  const list = join(await temporaryFolder(), 'accepted.json');
  writeFileSync(list, JSON.stringify(accepted));
  const { port } = registry.address() as AddressInfo;
  return run(process.execPath, ['scripts/audit.ts', list, 'template'], {
    cwd: HERE,
    env: { npm_config_registry: `http://127.0.0.1:${port}/`, npm_config_fetch_retries: '0' },
  });
}

it('[hostile.S70] what is known against a package fails the audit unless it is accepted, and not for ever', async () => {
  const accepted = {
    advisory: ADVISORY,
    package: 'zod',
    reason: 'The function is not called by the service.',
  };
  const [unknown, fine, expired, silent] = await Promise.all([
    audited([]),
    audited([{ ...accepted, until: '2999-12-31' }]),
    audited([{ ...accepted, until: '2020-01-01' }]),
    audited([], 405),
  ]);
  expect(unknown).toEqual({
    code: 1,
    said: expect.stringContaining(
      `zod: Something is wrong (high, https://github.com/advisories/${ADVISORY})`,
    ),
  });
  expect(fine).toEqual({ code: 0, said: expect.stringContaining('(1 accepted)') });
  expect(expired).toEqual({ code: 1, said: expect.stringContaining('was accepted until 2020-01-01') });
  expect(silent).toEqual({ code: 3, said: expect.stringContaining('did not answer') });
});

it('[hostile.S70] the list of parts names every package of the lockfile with its version', async () => {
  const { said } = await run('npm', ['run', '-s', 'sbom'], { cwd: HERE });
  const { bomFormat, components } = z
    .object({
      bomFormat: z.string(),
      components: z.array(z.object({ name: z.string(), version: z.string() })),
    })
    .parse(JSON.parse(said.slice(said.indexOf('{'), said.lastIndexOf('}') + 1)));
  expect(bomFormat).toBe('CycloneDX');
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  const { dependencies } = manifest('package.json');
  const named = Object.entries(dependencies).map(([name, version]) => `${name}@${version}`);
  expect(named.filter((it) => !listed.has(it))).toEqual([]);
  expect(components.length).toBeGreaterThan(packagesOf('package-lock.json').length - 10);
});

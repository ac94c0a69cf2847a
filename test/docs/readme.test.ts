// The README cannot rot: its commands, its example and its tables are tried as they stand.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { formatProblems } from '../../src/config/config-problem.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Environment } from '../../src/config/references.ts';
import { configSchema } from '../../src/config/schema.ts';
import { discoverModels } from '../../src/models/discover-models.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { temporaryFolder } from '../workspace/temporary-folder.ts';
import { blockOf, ROOT, readPage } from './documents.ts';

const run = promisify(execFile);
const ADDRESS = 'http://127.0.0.1:2026';
const { PATH = '', TMPDIR = '/tmp' } = process.env;

async function isInstalled(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

const hasCurl = await isInstalled('curl');

describe('a first conversation', () => {
  let service: ServiceProcess;

  /** A block of the README, talking to this test's service instead of the usual address. */
  async function block(language: string): Promise<string> {
    const text = blockOf(await readPage('README.md'), language);
    expect(text).toContain(ADDRESS);
    return text.replaceAll(ADDRESS, service.url);
  }

  async function register(account: { readonly email: string; readonly password: string }) {
    const answer = await fetch(`${service.url}/api/v1/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    });
    expect(answer.status).toBe(201);
  }

  beforeAll(async () => {
    service = await startServiceProcess();
  });
  afterAll(() => service?.remove());

  it.skipIf(!hasCurl)(
    '[docs.readme.curl] signs in, streams a run, reads the state, does so with an API key, and speaks MCP',
    async () => {
      const { stdout } = await run('bash', ['-euc', await block('bash')], { env: { PATH, TMPDIR } });
      const [account = '', session = '', ...rest] = stdout.trim().split('\n');
      const [event, message = ''] = rest.splice(-2);
      expect(event).toBe('event: message');
      expect(JSON.parse(message.slice('data: '.length))).toMatchObject({
        result: { structuredContent: { status: 'success', answer: expect.stringContaining('3') } },
      });
      expect(JSON.parse(account)).toMatchObject({ email: 'robot@example.com', needs_setup: false });
      expect(JSON.parse(session)).toEqual({ expires_in: 604_800, needs_setup: false });
      expect(rest[0]).toBe('event: metadata');
      expect(rest.filter((line) => line.startsWith('event: '))).toContain('event: updates');
      expect(rest.slice(-6, -2)).toEqual(['event: end', 'data: {}', expect.stringMatching(/^id: /), '']);
      const state = stateSchema.parse(JSON.parse(rest.at(-2) ?? ''));
      expect(state.values.messages.map(({ type }) => type)).toEqual(['human', 'ai', 'tool', 'ai']);
      // The same thread again, with an API key.
      expect(JSON.parse(rest.at(-1) ?? '')).toMatchObject({ thread_id: expect.any(String), status: 'idle' });
      expect(state.values.messages.at(-1)?.content).toMatch(/I wrote 2 words to `.*NOTES\.md`/);
    },
  );

  it('[sdk.readme] does the same with the SDK, and lists what is kept', async () => {
    const account = { email: 'sdk@example.com', password: 'a long enough passphrase' };
    await register(account);
    const env = { PATH, EMAIL: account.email, PASSWORD: account.password };
    // As `node hello.mjs` in the folder of the service would run it.
    const args = ['--input-type=module', '--eval', await block('js')];
    const { stdout, stderr } = await run(process.execPath, args, { cwd: ROOT, env });
    expect(stderr).toBe('');
    expect(stdout).toContain('[title.before_agent]');
    expect(stdout).toContain('I will write the file.\n[model]\n\n[tools]\n');
    expect(stdout).toMatch(/^answer: I wrote 2 words to `.*NOTES\.md`\.$/m);
    expect(stdout).toMatch(/^waited: `.*NOTES\.md` says:\n\n```markdown\nbuy milk\n```$/m);
    expect(stdout).toMatch(/^runs: 2 last: success \d+ tokens$/m);
    expect(stdout).toMatch(/^state: 8 messages, 10 checkpoints$/m);
    expect(stdout).toMatch(/^found: write NOTES\.md: buy milk$/m);
  });
});

const stateSchema = z.object({
  values: z.object({ messages: z.array(z.object({ type: z.string(), content: z.string() })) }),
});

describe('configuration', () => {
  it('[docs.readme.environment] lists the variables that are read, and no others', async () => {
    const read = new Set<string>();
    const environment: Environment = new Proxy<Record<string, string | undefined>>(
      {},
      { get: (_, name) => void read.add(String(name)) },
    );
    expect(loadConfig(environment, await temporaryFolder()).ok).toBe(true);
    await discoverModels(environment, { fetch: () => Promise.reject(new TypeError('nobody there')) });
    const table = (await readPage('README.md')).matchAll(/^\| `([A-Z][A-Z_]+)` +\|/gm);
    expect([...table].map(([, name]) => name).sort()).toEqual([...read].sort());
  });

  it('[docs.readme.sections] lists the sections of the file, and no others', async () => {
    const table = (await readPage('README.md')).matchAll(/^\| `([a-z][a-z_]+)` +\|/gm);
    expect([...table].map(([, name]) => name).sort()).toEqual(Object.keys(configSchema.shape).sort());
  });

  it('[docs.readme.models] lists models that the service takes', async () => {
    const folder = await temporaryFolder();
    const text = blockOf(await readPage('README.md'), 'yaml');
    await writeFile(join(folder, 'config.yaml'), text);
    const keys = [...text.matchAll(/\$(\w+)/g)].map(([, name = '']) => [name, 'a key']);
    const loaded = loadConfig(Object.fromEntries(keys), folder);
    if (!loaded.ok) throw new Error(formatProblems(loaded.problems));
    const providers = loaded.config.models?.map(({ provider }) => provider);
    expect(providers).toEqual(['openai', 'anthropic', 'google', 'deepseek', 'openai-compatible']);
  });
});

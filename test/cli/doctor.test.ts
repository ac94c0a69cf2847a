// `doctor`: each thing that can be wrong is found and explained, and nothing is changed or given away.

import { once } from 'node:events';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkConversion } from '../../src/cli/checks/conversion.ts';
import { type DoctorContext, doctor } from '../../src/cli/doctor.ts';
import { createLog } from '../../src/log.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { conversionOptionsSchema } from '../../src/workspace/convert/conversion-options.ts';
import { lockDataHome } from '../../src/workspace/data-home-lock.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const NO_OLLAMA: typeof fetch = () => Promise.reject(new TypeError('fetch failed'));

function examine(terminal: Terminal, more: Partial<DoctorContext> = {}) {
  return doctor({ ...terminal, webRoot: terminal.cwd, fetch: NO_OLLAMA, ...more });
}

async function takePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: String(address.port), close: () => server.close() };
}

describe('a machine in order', () => {
  it('[cli.doctor] says that the service can start, and leaves everything as it was', async () => {
    const terminal = await openTerminal();
    await writeFile(join(terminal.cwd, 'index.html'), '');
    expect(await examine(terminal)).toBe(0);
    expect(terminal.text()).toContain('The service can start.');
    expect(terminal.text()).toMatch(/✓ database .*will be created/);
    expect(terminal.text()).toMatch(/✓ web app +Built/);
    expect(terminal.text()).toMatch(/· models +Only the demo model/);
    expect(await readdir(terminal.dataHome)).not.toContain('service.db');
  });

  it('[cli.doctor] knows a service that is running on the data home, port taken and all', async () => {
    const { port, close } = await takePort();
    const terminal = await openTerminal({ PORT: port });
    const lock = lockDataHome(terminal.dataHome);
    expect(await examine(terminal)).toBe(0);
    expect(terminal.text()).toContain(`Process ${process.pid} is running on this data home.`);
    lock.release();
    close();
  });
});

describe('what is wrong', () => {
  it('[cli.doctor] an old Node', async () => {
    const terminal = await openTerminal();
    expect(await examine(terminal, { nodeVersion: '20.19.0' })).toBe(1);
    expect(terminal.text()).toMatch(/✗ node +This is Node 20.19.0; the service needs 24/);
  });

  it('[cli.doctor] a wrong configuration, with every problem in it', async () => {
    const terminal = await openTerminal({ LOG_LEVEL: 'loud' }, 'server: {prot: 1}\n');
    expect(await examine(terminal)).toBe(1);
    expect(terminal.text()).toContain('Did you mean "port"?');
    expect(terminal.text()).toContain('environment variable LOG_LEVEL');
    expect(terminal.text()).toContain('2 to fix before the service can run.');
  });

  it('[cli.doctor] a port that another program has, and an address of another machine', async () => {
    const { port, close } = await takePort();
    const taken = await openTerminal({ PORT: port });
    expect(await examine(taken)).toBe(1);
    expect(taken.text()).toMatch(/✗ address +Another program listens on 127.0.0.1:\d+\.\n.*PORT/);
    close();
    const elsewhere = await openTerminal({ HOST: '203.0.113.9' });
    expect(await examine(elsewhere)).toBe(1);
    expect(elsewhere.text()).toContain('is not an address of this machine');
  });

  it('[cli.doctor] a data home that is a file', async () => {
    const terminal = await openTerminal();
    await writeFile(join(terminal.cwd, 'occupied'), '');
    const environment = { ...terminal.environment, DATA_HOME: 'occupied/inside' };
    expect(await examine(terminal, { environment })).toBe(1);
    expect(terminal.text()).toMatch(/✗ data home +The data home .* cannot be written to\./);
  });

  it('[cli.doctor] a database that does not respond, without showing its password', async () => {
    const terminal = await openTerminal({ DATABASE_URL: 'postgres://service:CANARY@127.0.0.1:1/service' });
    expect(await examine(terminal)).toBe(1);
    expect(terminal.text()).toMatch(/✗ database /);
    expect(terminal.text()).not.toContain('CANARY');
  });

  it('[cli.doctor] a file that is not a database, and one of a newer release', async () => {
    const broken = await openTerminal();
    await writeFile(join(broken.dataHome, 'service.db'), 'not a database'.repeat(1000));
    expect(await examine(broken)).toBe(1);
    expect(broken.text()).toMatch(/✗ database /);

    const newer = await openTerminal();
    const file = join(newer.dataHome, 'service.db');
    const log = createLog({ level: 'silent', format: 'json' });
    await (await openStorage({ url: `sqlite:${file}`, log })).close();
    const database = new DatabaseSync(file);
    database.exec("insert into schema_migrations (number, name, applied_at) values (9999, 'future', 0)");
    database.close();
    expect(await examine(newer)).toBe(1);
    expect(newer.text()).toMatch(/schema is 9999, newer than/);
  });

  it('[cli.doctor] a model without its key; keys themselves are never printed', async () => {
    const config = [
      'models:',
      '  - {name: bare, provider: anthropic, model: m}',
      '  - {name: keyed, provider: openai, model: m, api_key: $OPENAI_API_KEY}',
    ].join('\n');
    const terminal = await openTerminal({ OPENAI_API_KEY: 'CANARY' }, config);
    expect(await examine(terminal)).toBe(1);
    expect(terminal.text()).toMatch(/✗ models +bare has no api_key/);
    expect(terminal.text()).toMatch(/✓ models +keyed/);
    expect(terminal.text()).not.toContain('CANARY');
  });

  it('[cli.doctor] a budget in money that limits nothing, or not every model', async () => {
    const limited = 'budgets: {per_user_day: {cost: 2}}';
    const model = (name: string, price = '') =>
      `  - {name: ${name}, provider: openai-compatible, model: m, base_url: 'http://127.0.0.1:1/v1'${price}}`;
    const priced = model('dear', ', price: {input_per_million: 1, output_per_million: 2, currency: EUR}');
    const said = async (models: readonly string[], exitCode: number) => {
      const terminal = await openTerminal({}, [limited, 'models:', ...models].join('\n'));
      expect(await examine(terminal)).toBe(exitCode);
      return terminal.text();
    };
    expect(await said([model('free')], 1)).toMatch(/✗ budgets +A cost is limited, but no model has a price/);
    expect(await said([model('free'), priced], 0)).toMatch(/· budgets .* cost nothing: free\./);
    expect(await said([priced], 0)).toMatch(/✓ budgets +Cost is limited/);
  });

  it('[sandbox.gaps] what is missing to hold commands, as a problem where nothing may be', async () => {
    const said = async (sandbox: string, exitCode: number) => {
      const terminal = await openTerminal({}, `sandbox: {kind: virtual${sandbox}}`);
      expect(await examine(terminal)).toBe(exitCode);
      return terminal.text();
    };
    expect(await said('', 0)).toMatch(/· sandbox +Commands run in the virtual shell/);
    expect(await said(', require: strict', 1)).toMatch(/✗ sandbox +Commands run in the virtual shell/);
  });

  it('[cli.doctor] models that would be found at start, Ollama included', async () => {
    const tags = Response.json({ models: [{ name: 'llama3' }] });
    const terminal = await openTerminal({ ANTHROPIC_API_KEY: 'CANARY' });
    expect(await examine(terminal, { fetch: async () => tags })).toBe(0);
    expect(terminal.text()).toMatch(/✓ models +claude-.*anthropic/);
    expect(terminal.text()).toMatch(/✓ models +ollama-llama3/);
    expect(terminal.text()).not.toContain('CANARY');
  });

  it('[cli.doctor] an administrator who still has the generated password', async () => {
    const terminal = await openTerminal();
    await mkdir(terminal.dataHome, { recursive: true });
    const text = 'email: admin@localhost.local\npassword: CANARY\naccount: 1\n';
    await writeFile(join(terminal.dataHome, 'admin_initial_credentials.txt'), text, { mode: 0o600 });
    expect(await examine(terminal)).toBe(0);
    expect(terminal.text()).toMatch(/· accounts +The administrator still uses the generated password/);
    expect(terminal.text()).not.toContain('CANARY');
  });
});

describe('documents', () => {
  const on = conversionOptionsSchema.parse({});
  const box = { works: true } as const;
  const libreOffice = { program: '/usr/bin/soffice', folder: '/usr' };

  it.each([
    { options: { ...on, enabled: false }, means: { box, libreOffice }, verdict: 'ok', message: /^Off/ },
    { options: on, means: { box, libreOffice }, verdict: 'ok', message: /through LibreOffice/ },
    {
      options: { ...on, libreoffice: 'off' as const },
      means: { box, libreOffice },
      verdict: 'ok',
      message: /\.ppt does not/,
    },
    { options: on, means: { box, libreOffice: undefined }, verdict: 'note', message: /\.ppt does not/ },
    {
      options: on,
      means: { box: { works: false, reason: 'why' } as const, libreOffice },
      verdict: 'note',
      message: /Without bubblewrap/,
    },
  ])('[cli.doctor] which ones are converted, and by what: %#', async ({ options, means, ...finding }) => {
    const { verdict, message } = await checkConversion(options, async () => means);
    expect({ verdict, message }).toEqual({ ...finding, message: expect.stringMatching(finding.message) });
  });

  it('[cli.doctor] are reported on this machine', async () => {
    const terminal = await openTerminal();
    await examine(terminal);
    expect(terminal.text()).toMatch(/documents +\.pdf, \.docx/);
  });
});

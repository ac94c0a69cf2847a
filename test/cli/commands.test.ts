// `config check` and `reset-admin`, as an operator meets them.
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { createAuth } from '../../src/auth/create-auth.ts';
import { resetAdminCommand } from '../../src/cli/account-commands.ts';
import { configCheck } from '../../src/cli/config-check.ts';
import { createLog } from '../../src/log.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { openTerminal, type Terminal } from './terminal.ts';

/** A service that was started once: it has its administrator. */
async function startOnce({ dataHome }: Terminal) {
  const log = createLog({ level: 'silent', format: 'json' });
  const storage = await openStorage({ url: `sqlite:${join(dataHome, 'service.db')}`, log });
  const auth = await createAuth({ storage, dataHome, options: authOptionsSchema.parse({}), log });
  await auth.bootstrap();
  return { storage, credentials: join(dataHome, 'admin_initial_credentials.txt') };
}

describe('config check', () => {
  it('[cli.config-check] says that the configuration is valid, and what it means', async () => {
    const terminal = await openTerminal(
      { PORT: '3000' },
      'models: [{name: helper, provider: demo, model: demo}]\n',
    );
    expect(configCheck(terminal)).toBe(0);
    expect(terminal.text()).toContain('http://127.0.0.1:3000');
    expect(terminal.text()).toContain('helper');
  });

  it('[cli.config-check] reports every problem and fails', async () => {
    const terminal = await openTerminal({ PORT: 'x' }, 'lgo: {}\n');
    expect(configCheck(terminal)).toBe(1);
    expect(terminal.text()).toContain('environment variable PORT');
    expect(terminal.text()).toContain('Did you mean "log"?');
  });
});

describe('reset-admin', () => {
  it('[cli.reset-admin] writes a new password to the credentials file, prints its path only, ends the sessions', async () => {
    const terminal = await openTerminal();
    const { storage, credentials } = await startOnce(terminal);
    const before = await readFile(credentials, 'utf8');
    const admin = await storage.users.findFirstAdmin();
    expect(await resetAdminCommand(terminal, undefined)).toBe(0);
    const after = await readFile(credentials, 'utf8');
    const password = /^password: (\S+)$/m.exec(after)?.[1] ?? 'no password';
    expect(after).not.toBe(before);
    expect(terminal.text()).toContain(credentials);
    expect(terminal.text()).toContain('admin@localhost.local');
    expect(terminal.text()).not.toContain(password);
    expect((await stat(credentials)).mode & 0o777).toBe(0o600);
    const reset = await storage.users.findFirstAdmin();
    expect(reset).toMatchObject({ needsSetup: true, tokenVersion: (admin?.tokenVersion ?? 0) + 1 });
    await storage.close();
  });

  it('[cli.reset-admin] says why it could not, and fails', async () => {
    const terminal = await openTerminal();
    expect(await resetAdminCommand(terminal, undefined)).toBe(1);
    expect(terminal.text()).toContain('There is no administrator yet.');
    const { storage, credentials } = await startOnce(terminal);
    await storage.close();
    const before = await readFile(credentials, 'utf8');
    expect(await resetAdminCommand(terminal, 'nobody@example.com')).toBe(1);
    expect(terminal.text()).toContain('nobody@example.com');
    expect(await readFile(credentials, 'utf8')).toBe(before);
  });

  it('[cli.reset-admin] does nothing with a wrong configuration or an invalid database', async () => {
    const wrong = await openTerminal({}, 'x: 1\n');
    expect(await resetAdminCommand(wrong, undefined)).toBe(1);
    expect(wrong.text()).toContain('Unknown key "x"');
    const broken = await openTerminal();
    await writeFile(join(broken.dataHome, 'service.db'), 'not a database'.repeat(1000));
    expect(await resetAdminCommand(broken, undefined)).toBe(1);
    expect(broken.text()).toMatch(/^Nothing was changed: /);
  });
});

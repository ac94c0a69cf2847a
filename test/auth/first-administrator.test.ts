// The administrator that the first start creates, its credentials file, and reset-admin.
import { access, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { createAuth } from '../../src/auth/create-auth.ts';
import { resetAdmin } from '../../src/auth/reset-admin.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';
import { bodyOf, type HttpClient } from '../support/http-client.ts';
import { GOOD_PASSWORD, openTestApp, type TestApp } from '../support/test-app.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const cheap = authOptionsSchema.parse({ password_hash: { memory_kib: 8, iterations: 1, parallelism: 1 } });

let service: TestApp;
let file: string;
beforeEach(async () => {
  service = await openTestApp();
  file = join(service.dataHome, 'admin_initial_credentials.txt');
});
afterEach(() => service.close());

async function credentialsIn(path: string): Promise<{ email: string; password: string }> {
  const text = await readFile(path, 'utf8');
  const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
  return { email: field('email'), password: field('password') };
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

async function signedInAdmin(): Promise<HttpClient> {
  await service.auth.bootstrap();
  const client = service.client();
  expect((await client.signIn(await credentialsIn(file))).status).toBe(200);
  return client;
}

describe('first start', () => {
  it('[auth.admin.created] creates an administrator that needs setup', async () => {
    await service.auth.bootstrap();
    const credentials = await credentialsIn(file);
    expect(credentials.email).toBe('admin@localhost.local');
    expect(credentials.password.length).toBeGreaterThanOrEqual(20);
    const client = service.client();
    expect(await bodyOf(await client.signIn(credentials))).toMatchObject({ needs_setup: true });
    const me = await client.get('/api/v1/auth/me');
    expect(await bodyOf(me)).toMatchObject({ system_role: 'admin', needs_setup: true });
  });

  it('[auth.admin.file] [hostile.S28] only its owner can read the file, and only its path is logged', async () => {
    await service.auth.bootstrap();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await service.auth.initialCredentialsPath()).toBe(file);
    const { password } = await credentialsIn(file);
    const log = JSON.stringify(service.lines);
    expect(log).toContain(file);
    expect(log).not.toContain(password);
  });

  it('[auth.admin.file] [hostile.S28] a link or another text in its place is refused', async () => {
    const elsewhere = join(service.dataHome, 'elsewhere');
    await writeFile(elsewhere, 'email: eve@example.com\npassword: known to eve\naccount: eve\n');
    await symlink(elsewhere, file);
    await expect(service.auth.bootstrap()).rejects.toThrow();
    await rm(file);
    await writeFile(file, 'something else');
    await expect(service.auth.bootstrap()).rejects.toThrow(/Remove it and start again/);
    expect(await readFile(file, 'utf8')).toBe('something else');
    expect(await service.storage.users.findFirstAdmin()).toBeUndefined();
  });

  it('[auth.admin.created] a later start changes nothing', async () => {
    await service.auth.bootstrap();
    const [text, admin] = [await readFile(file, 'utf8'), await service.storage.users.findFirstAdmin()];
    await service.auth.bootstrap();
    expect(await readFile(file, 'utf8')).toBe(text);
    expect(await service.storage.users.findFirstAdmin()).toEqual(admin);
  });

  it('[auth.admin.created] no administrator is created where users exist', async () => {
    await service.client().register({ email: 'ann@example.com', password: GOOD_PASSWORD });
    await service.auth.bootstrap();
    expect(await service.storage.users.findFirstAdmin()).toBeUndefined();
    expect(await exists(file)).toBe(false);
  });

  it('[auth.admin.crash] the next start completes one that was interrupted after the file', async () => {
    await service.auth.bootstrap();
    const written = await readFile(file, 'utf8');
    const restarted = await openTestApp({ dataHome: service.dataHome });
    await restarted.auth.bootstrap();
    expect(await readFile(file, 'utf8')).toBe(written);
    expect((await restarted.client().signIn(await credentialsIn(file))).status).toBe(200);
    await restarted.storage.close();
  });

  it('[auth.admin.adopts] ownerless threads become the administrator’s', async () => {
    const shared = service.storage.as(UNSCOPED).threads;
    await shared.create({ threadId: 'old', metadata: {}, assistantId: null, now: 1 });
    const admin = await signedInAdmin();
    expect((await admin.patch('/api/threads/old', { metadata: { mine: true } })).status).toBe(200);
    const bob = await service.user();
    expect((await bob.get('/api/threads/old')).status).toBe(404);
    await service.auth.bootstrap();
    expect((await admin.get('/api/threads/old')).status).toBe(200);
  });
});

describe('two processes', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agent-service-two-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('[auth.admin.race] starting concurrently create one administrator, and the file is right', async () => {
    const url = `sqlite:${join(folder, 'service.db')}`;
    const first = await openStorage({ url, log: quiet });
    const storages: Storage[] = [first];
    for (let count = 0; count < 3; count += 1) storages.push(await openStorage({ url, log: quiet }));
    const auths = await Promise.all(
      storages.map((storage) => createAuth({ storage, dataHome: folder, options: cheap, log: quiet })),
    );
    await Promise.all(auths.map((auth) => auth.bootstrap()));

    const credentials = await credentialsIn(join(folder, 'admin_initial_credentials.txt'));
    const users = await Promise.all(
      auths.map((auth) => auth.signIn({ ...credentials, clientIp: '192.0.2.1' })),
    );
    expect(new Set(users.map((user) => user.id)).size).toBe(1);
    await Promise.all(storages.map((storage) => storage.close()));
  });
});

describe('setup', () => {
  const setUp = (client: HttpClient, password: string, fields: object = {}) =>
    client.post('/api/v1/auth/change-password', {
      current_password: password,
      new_password: GOOD_PASSWORD,
      ...fields,
    });

  it('[auth.change-password.setup] [auth.admin.file-removed] [hostile.S23] [hostile.S28] a new e-mail and password end the setup', async () => {
    const admin = await signedInAdmin();
    const { password } = await credentialsIn(file);
    expect((await setUp(admin, password, { new_email: 'root@example.com' })).status).toBe(200);
    const me = await admin.get('/api/v1/auth/me');
    expect(await bodyOf(me)).toMatchObject({ email: 'root@example.com', needs_setup: false });
    expect(await exists(file)).toBe(false);
    expect(await service.auth.initialCredentialsPath()).toBeUndefined();
  });

  it('[auth.change-password.setup] without a new e-mail the account still needs setup', async () => {
    const admin = await signedInAdmin();
    const { password } = await credentialsIn(file);
    expect((await setUp(admin, password)).status).toBe(200);
    const me = async () => bodyOf(await admin.get('/api/v1/auth/me'));
    expect(await me()).toMatchObject({ needs_setup: true });
    expect(await exists(file)).toBe(false);
    const email = { current_password: GOOD_PASSWORD, new_email: 'root@example.com' };
    expect((await admin.post('/api/v1/auth/change-email', email)).status).toBe(200);
    expect(await me()).toMatchObject({ needs_setup: false });
    await service.auth.bootstrap();
    expect(await exists(file)).toBe(false);
  });

  it("[auth.admin.file-removed] another user's change of password leaves the file", async () => {
    await service.auth.bootstrap();
    const bob = await service.user();
    expect((await setUp(bob, GOOD_PASSWORD)).status).toBe(200);
    expect(await exists(file)).toBe(true);
  });
});

describe('reset-admin', () => {
  it('[auth.admin.reset] gives the first administrator a new password and ends its sessions', async () => {
    const admin = await signedInAdmin();
    const before = await credentialsIn(file);
    const { users } = service.storage;
    expect(await resetAdmin({ users, dataHome: service.dataHome })).toEqual({
      email: before.email,
      path: file,
    });
    const after = await credentialsIn(file);
    expect(after.password).not.toBe(before.password);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await admin.get('/api/v1/auth/me')).status).toBe(401);
    expect((await service.client().signIn(before)).status).toBe(401);
    expect(await bodyOf(await service.client().signIn(after))).toMatchObject({ needs_setup: true });
  });

  it('[auth.admin.reset] accepts an e-mail, and reports when no account has it', async () => {
    await service.client().register({ email: 'ann@example.com', password: GOOD_PASSWORD });
    const { users } = service.storage;
    const options = { users, dataHome: service.dataHome };
    await resetAdmin({ ...options, email: 'ANN@example.com' });
    expect((await service.client().signIn(await credentialsIn(file))).status).toBe(200);
    await expect(resetAdmin({ ...options, email: 'bob@example.com' })).rejects.toThrow(/bob@example\.com/);
    await expect(resetAdmin(options)).rejects.toThrow(/no administrator/);
  });

  it('[auth.admin.reset] replaces a link in place of the file instead of following it', async () => {
    await service.auth.bootstrap();
    await rm(file);
    const elsewhere = join(service.dataHome, 'elsewhere');
    await writeFile(elsewhere, 'untouched');
    await symlink(elsewhere, file);
    await resetAdmin({ users: service.storage.users, dataHome: service.dataHome });
    expect(await readFile(elsewhere, 'utf8')).toBe('untouched');
    expect((await service.client().signIn(await credentialsIn(file))).status).toBe(200);
  });
});

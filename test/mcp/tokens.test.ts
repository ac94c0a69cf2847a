// The tokens of tool servers: stored encrypted, and renewed once for all callers.
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverEntrySchema } from '../../src/mcp/config/server-entry.ts';
import { createOauth } from '../../src/mcp/oauth/create-oauth.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { SERVICE_CLIENT, startAuthorizationServer } from './authorization-server.ts';
import { startProtectedServer } from './protected-server.ts';

const USER = 'user-1';
const HOUR_MS = 3_600_000;
const KEY = Buffer.alloc(32, 7);

let dataHome: string;
let authorization: Awaited<ReturnType<typeof startAuthorizationServer>>;
let remote: Awaited<ReturnType<typeof startProtectedServer>>;
let time: number;

beforeEach(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  authorization = await startAuthorizationServer();
  remote = await startProtectedServer(authorization);
  time = 1_800_000_000_000;
});
afterEach(async () => {
  await Promise.all([authorization.close(), remote.close()]);
  await rm(dataHome, { recursive: true });
});

function serverWith(fields: object = {}) {
  const entry = serverEntrySchema.parse({ type: 'http', url: remote.url, ...fields });
  return { name: 'remote', entry, version: '1', problem: undefined };
}

function open(server: ReturnType<typeof serverWith>, key = KEY) {
  return createOauth({
    dataHome,
    configs: { current: async () => new Map([[server.name, server]]) },
    key,
    allowHosts: ['127.0.0.1'],
    onChange: async () => {},
    log: QUIET_LOG,
    now: () => time,
  });
}

async function signIn(oauth: ReturnType<typeof open>): Promise<void> {
  const url = await oauth.signIns.begin({ userId: USER, server: 'remote' }, 'http://localhost/callback');
  const back = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  const { searchParams: given } = new URL(back);
  const outcome = await oauth.signIns.finish(USER, {
    state: given.get('state') ?? '',
    code: given.get('code') ?? undefined,
    iss: given.get('iss') ?? undefined,
  });
  expect(outcome).toEqual({ kind: 'signed_in', server: 'remote' });
}

/** Requests a token from this many transports, each with its own provider. */
function askers(oauth: ReturnType<typeof open>, server: ReturnType<typeof serverWith>, count: number) {
  return Promise.all(Array.from({ length: count }, () => oauth.authOf(USER, server)?.token()));
}

describe('tokens of a person', () => {
  it('[mcp.oauth.refresh] are renewed once for a hundred concurrent callers', async () => {
    const server = serverWith();
    const oauth = open(server);
    await signIn(oauth);
    time += 2 * HOUR_MS;
    const tokens = await askers(oauth, server, 100);
    expect(new Set(tokens).size).toBe(1);
    expect(authorization.accepts(tokens[0])).toBe(true);
    expect(authorization.grants).toEqual(['authorization_code', 'refresh_token']);
    expect(authorization.wasReused()).toBe(false);
  });

  it('[mcp.oauth.refresh] are renewed before they expire, without delaying any caller', async () => {
    const server = serverWith();
    const oauth = open(server);
    await signIn(oauth);
    const [first] = await askers(oauth, server, 1);
    const held = Promise.withResolvers<void>();
    authorization.behaviour.holds = held.promise;
    time += HOUR_MS - 30_000;
    expect(await askers(oauth, server, 20)).toEqual(Array.from({ length: 20 }, () => first));
    held.resolve();
    await expect.poll(async () => (await askers(oauth, server, 1))[0]).not.toBe(first);
    expect(authorization.grants).toEqual(['authorization_code', 'refresh_token']);
  });

  it('[mcp.oauth.refresh] are renewed when the server refuses them, and a fresh one is not renewed again', async () => {
    const server = serverWith();
    const oauth = open(server);
    await signIn(oauth);
    time += 60_000;
    const providers = Array.from({ length: 20 }, () => oauth.authOf(USER, server));
    const used = await Promise.all(providers.map((it) => it?.token()));
    authorization.revokeAccess();
    const refused = () => ({
      response: new Response(null, { status: 401 }),
      serverUrl: new URL(remote.url),
      fetchFn: fetch,
    });
    await Promise.all(providers.map((it) => it?.onUnauthorized?.(refused())));
    const [next] = await askers(oauth, server, 1);
    expect(next).not.toBe(used[0]);
    expect(authorization.grants).toEqual(['authorization_code', 'refresh_token']);
    await expect(
      (async () => {
        const [provider] = providers;
        await provider?.token();
        await provider?.onUnauthorized?.(refused());
      })(),
    ).rejects.toThrow('sign-in');
    expect(authorization.grants).toHaveLength(2);
  });

  it('[mcp.oauth.kept] survive a restart, and are unreadable without the key of the service', async () => {
    const server = serverWith();
    await signIn(open(server));
    expect(authorization.accepts((await askers(open(server), server, 1))[0])).toBe(true);
    expect(await open(server, Buffer.alloc(32, 8)).signInOf(USER, server)).toBe('signed_out');
    const files = (await readdir(dataHome, { recursive: true, withFileTypes: true })).filter((it) =>
      it.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(['remote.sealed']);
    for (const { parentPath, name } of files) {
      const content = await readFile(join(parentPath, name), 'utf8');
      expect(content).not.toContain('CANARY');
      expect(Buffer.from(content, 'base64').toString('latin1')).not.toContain('CANARY');
    }
  });

  it('[mcp.oauth.kept] are not rewritten while nothing changes, even after a sign-in that was never begun', async () => {
    const oauth = open(serverWith());
    await signIn(oauth);
    const kept = await stat(join(dataHome, 'users', USER, 'mcp-sign-ins', 'remote.sealed'));
    await oauth.signIns.finish(USER, { state: 'remote.made-up', code: 'a', iss: authorization.issuer });
    const now = await stat(join(dataHome, 'users', USER, 'mcp-sign-ins', 'remote.sealed'));
    expect([now.ino, now.mtimeMs]).toEqual([kept.ino, kept.mtimeMs]);
  });

  it('[mcp.oauth.kept] are never sent to another address under the same name', async () => {
    const oauth = open(serverWith());
    await signIn(oauth);
    const moved = serverWith({ url: 'https://evil.example.com/mcp' });
    expect(await oauth.authOf(USER, moved)?.token()).toBeUndefined();
    expect(await oauth.signInOf(USER, moved)).toBe('signed_out');
  });

  it('[mcp.oauth.refresh] are forgotten when the authorization server refuses them', async () => {
    const server = serverWith();
    const oauth = open(server);
    await signIn(oauth);
    time += 2 * HOUR_MS;
    await askers(oauth, server, 1);
    // An attacker used the first refresh token, so the server invalidates all of them.
    const before = await oauth.signInOf(USER, server);
    authorization.forgetRefresh();
    time += 2 * HOUR_MS;
    expect(await askers(oauth, server, 3)).toEqual([undefined, undefined, undefined]);
    expect([before, await oauth.signInOf(USER, server)]).toEqual(['signed_in', 'signed_out']);
  });
});

describe('the account of the service', () => {
  const account = (fields: object) =>
    serverWith({
      oauth: { token_url: `${authorization.issuer}/token`, client_id: SERVICE_CLIENT.id, ...fields },
    });

  it('[mcp.oauth.service] signs in once with its own credentials, for everybody', async () => {
    const server = account({ grant_type: 'client_credentials', client_secret: SERVICE_CLIENT.secret });
    const oauth = open(server);
    const tokens = await askers(oauth, server, 100);
    expect(authorization.accepts(tokens[0])).toBe(true);
    expect(new Set([...tokens, await oauth.authOf('user-2', server)?.token()]).size).toBe(1);
    expect(authorization.grants).toEqual(['client_credentials']);
    expect(await oauth.signInOf(USER, server)).toBe('none');
    time += 2 * HOUR_MS;
    await askers(oauth, server, 100);
    expect(authorization.grants).toHaveLength(2);
  });

  it('[mcp.oauth.service] continues with the newest refresh token, also after a restart', async () => {
    authorization.allowRefresh('CANARY-first');
    const server = account({ grant_type: 'refresh_token', refresh_token: 'CANARY-first' });
    await askers(open(server), server, 10);
    time += 2 * HOUR_MS;
    const tokens = await askers(open(server), server, 10);
    expect(authorization.accepts(tokens[0])).toBe(true);
    expect(authorization.grants).toEqual(['refresh_token', 'refresh_token']);
    expect(authorization.wasReused()).toBe(false);
  });

  it('[mcp.oauth.service] reports a refusal without its secrets', async () => {
    const server = account({ grant_type: 'client_credentials', client_secret: 'CANARY-wrong' });
    const asked = open(server).authOf(USER, server)?.token();
    await expect(asked).rejects.toThrow(
      "The service could not sign in to the tool server 'remote': its authorization server answered with status 400.",
    );
  });
});

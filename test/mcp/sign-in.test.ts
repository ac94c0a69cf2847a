// Signing in to a tool server as a person: through the routes, with a browser that follows redirects.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signInAdministrator } from '../support/administrator.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { openTestService, TEST_PASSWORD, type TestService } from '../support/service.ts';
import { SERVICE_CLIENT, startAuthorizationServer } from './authorization-server.ts';
import { startProtectedServer } from './protected-server.ts';

interface Shown {
  readonly name: string;
  readonly status: string;
  readonly sign_in: { readonly required: boolean; readonly signed_in: boolean };
  readonly tools: readonly { readonly original_name: string }[];
}

let service: TestService;
let admin: HttpClient;
let authorization: Awaited<ReturnType<typeof startAuthorizationServer>>;
let remote: Awaited<ReturnType<typeof startProtectedServer>>;

beforeAll(async () => {
  authorization = await startAuthorizationServer();
  remote = await startProtectedServer(authorization);
  service = await openTestService({
    config: {
      mcp: { allow_hosts: [new URL(authorization.issuer).host] },
      server: { public_url: 'https://agents.example.com' },
    },
  });
  admin = await signInAdministrator(service);
});
afterAll(async () => {
  await service.close();
  await Promise.all([authorization.close(), remote.close()]);
});
beforeEach(() => configure({ remote: { type: 'http', url: remote.url } }));

async function configure(mcpServers: object): Promise<void> {
  expect((await admin.put('/api/mcp/config', { mcpServers })).status).toBe(200);
}

async function shown(client: HttpClient, name = 'remote'): Promise<Shown | undefined> {
  const { servers } = await bodyOf<{ servers: readonly Shown[] }>(await client.get('/api/mcp/servers'));
  return servers.find((it) => it.name === name);
}

/**
 * Begins a sign-in, sends a browser to the authorization server, and returns the path to which it redirects.
 */
async function wayBack(client: HttpClient, name = 'remote'): Promise<URL> {
  const answer = await client.post(`/api/mcp/servers/${name}/sign-in`);
  expect(answer.status).toBe(200);
  const { authorization_url: url } = await bodyOf<{ authorization_url: string }>(answer);
  const sent = await fetch(url, { redirect: 'manual' });
  expect(sent.status).toBe(302);
  const back = new URL(sent.headers.get('location') ?? '');
  expect(back.origin).toBe('https://agents.example.com');
  return back;
}

async function comeBack(client: HttpClient, { pathname, search }: URL): Promise<string | null> {
  const answer = await client.get(`${pathname}${search}`);
  expect(answer.status).toBe(303);
  return answer.headers.get('location');
}

const SIGNED_IN = '/tool-servers?signed_in=remote';
const failed = (reason: string) => `/tool-servers?sign_in_failed=${reason}`;

describe('signing in to a tool server', () => {
  it('[mcp.oauth.sign_in] leads to the authorization server and back, for the person who began', async () => {
    const ann = await service.user('ann');
    await expect.poll(async () => (await shown(ann))?.status).toBe('needs_sign_in');
    expect(await shown(ann)).toMatchObject({ sign_in: { required: true, signed_in: false }, tools: [] });
    expect(await comeBack(ann, await wayBack(ann))).toBe(SIGNED_IN);
    await expect.poll(async () => (await shown(ann))?.status).toBe('ready');
    expect(await shown(ann)).toMatchObject({
      sign_in: { required: true, signed_in: true },
      tools: [{ original_name: 'greet' }],
    });
    expect(authorization.registered.at(-1)).toEqual(['https://agents.example.com/api/mcp/oauth/callback']);
    const ben = await service.user('ben');
    expect(await shown(ben)).toMatchObject({ sign_in: { signed_in: false }, tools: [] });
  });

  it('[mcp.oauth.state] can be finished once, by the person who began, and only the newest one', async () => {
    const [cleo, dan] = [await service.user('cleo'), await service.user('dan')];
    const first = await wayBack(cleo);
    const newest = await wayBack(cleo);
    const before = authorization.grants.length;
    expect(await comeBack(cleo, first)).toBe(failed('expired'));
    expect(await comeBack(dan, newest)).toBe(failed('expired'));
    expect(authorization.grants).toHaveLength(before);
    expect(await comeBack(cleo, newest)).toBe(SIGNED_IN);
    expect(await comeBack(cleo, newest)).toBe(failed('expired'));
    expect(await shown(dan)).toMatchObject({ sign_in: { signed_in: false } });
  });

  it('[mcp.oauth.issuer] ends when the response names another server than the one where it began', async () => {
    const eve = await service.user('eve');
    const back = await wayBack(eve);
    const before = authorization.grants.length;
    back.searchParams.set('iss', 'https://evil.example.com');
    expect(await comeBack(eve, back)).toBe(failed('other_issuer'));
    const again = await wayBack(eve);
    again.searchParams.delete('iss');
    expect(await comeBack(eve, again)).toBe(failed('other_issuer'));
    expect(authorization.grants).toHaveLength(before);
  });

  it('[mcp.oauth.sign_in] reports a denial, and needs a person', async () => {
    const finn = await service.user('finn');
    authorization.behaviour.denies = true;
    expect(await comeBack(finn, await wayBack(finn))).toBe(failed('denied'));
    authorization.behaviour.denies = false;
    const strange = '/api/mcp/oauth/callback?state=../../remote.x&code=1';
    expect((await finn.get(strange)).headers.get('location')).toBe(failed('expired'));
    expect((await service.client().get('/api/mcp/oauth/callback?state=remote.x&code=1')).status).toBe(401);
    expect((await finn.get('/api/mcp/oauth/callback?code=1')).status).toBe(422);
    expect((await finn.post('/api/mcp/servers/unknown/sign-in')).status).toBe(404);
  });

  it("[mcp.oauth.sign_out] forgets the account, and so does the deletion of the person's own", async () => {
    const gus = await service.user('gus');
    await comeBack(gus, await wayBack(gus));
    await expect.poll(async () => (await shown(gus))?.tools.length).toBe(1);
    expect((await gus.delete('/api/mcp/servers/remote/sign-in')).status).toBe(204);
    expect(await shown(gus)).toMatchObject({ sign_in: { signed_in: false }, tools: [] });
    expect(await signInFiles(gus)).toEqual([]);

    await comeBack(gus, await wayBack(gus));
    expect(await signInFiles(gus)).toEqual(['remote.sealed']);
    const folder = join(service.dataHome, 'users', await idOf(gus));
    const gone = await gus.send('DELETE', '/api/v1/auth/me', {
      body: JSON.stringify({ password: TEST_PASSWORD }),
      headers: { 'content-type': 'application/json' },
    });
    expect(gone.ok).toBe(true);
    await expect.poll(() => readdir(folder).catch(() => 'gone')).toBe('gone');
  });

  it('[mcp.oauth.inside] reaches no authorization server inside the network that is not allowed', async () => {
    const other = await startAuthorizationServer();
    const inside = await startProtectedServer(other);
    await configure({ inside: { type: 'http', url: inside.url } });
    const hal = await service.user('hal');
    const answer = await hal.post('/api/mcp/servers/inside/sign-in');
    expect(answer.status).toBe(409);
    expect(other.asked()).toBe(0);
    await Promise.all([other.close(), inside.close()]);
  });

  it('[mcp.oauth.secret] sends a configured secret only to the address that is configured with it', async () => {
    const oauth = { client_id: SERVICE_CLIENT.id, client_secret: SERVICE_CLIENT.secret };
    const entry = (more: object) => ({
      own: { type: 'http', url: remote.url, oauth: { ...oauth, ...more } },
    });
    expect((await admin.put('/api/mcp/config', { mcpServers: entry({}) })).status).toBe(400);
    const kim = await service.user('kim');
    await configure(entry({ token_url: 'https://login.example.com/token' }));
    const refused = await kim.post('/api/mcp/servers/own/sign-in');
    expect([refused.status, await detailOf(refused)]).toEqual([
      409,
      expect.stringContaining('elsewhere than at oauth.token_url'),
    ]);
    await configure(entry({ token_url: `${authorization.issuer}/token` }));
    expect((await kim.post('/api/mcp/servers/own/sign-in')).status).toBe(200);
  });

  it('[mcp.oauth.service] is unnecessary where the service has an account, whose secrets are never shown', async () => {
    await configure({
      shared: {
        type: 'http',
        url: remote.url,
        oauth: {
          grant_type: 'client_credentials',
          token_url: `${authorization.issuer}/token`,
          client_id: SERVICE_CLIENT.id,
          client_secret: SERVICE_CLIENT.secret,
        },
      },
    });
    const ida = await service.user('ida');
    await expect.poll(async () => (await shown(ida, 'shared'))?.status).toBe('ready');
    expect(await shown(ida, 'shared')).toMatchObject({ sign_in: { required: false, signed_in: false } });
    const refused = await ida.post('/api/mcp/servers/shared/sign-in');
    expect([refused.status, await detailOf(refused)]).toEqual([
      409,
      "The tool server 'shared' is not one that people sign in to.",
    ]);
    expect(await (await admin.get('/api/mcp/config')).text()).not.toContain('CANARY');
  });

  it('[mcp.oauth.secret] [hostile.S47] shows no token in a response, the log or the audit log', async () => {
    const jo = await service.user('jo');
    await comeBack(jo, await wayBack(jo));
    await comeBack(admin, await wayBack(admin));
    const trial = await (await admin.post('/api/mcp/servers/remote/test')).text();
    expect(trial).toContain('"success":true');
    const seen = [trial, JSON.stringify(await shown(jo)), await (await admin.get('/api/audit')).text()];
    expect(`${seen.join()}${JSON.stringify(service.complaints)}`).not.toContain('CANARY');
  });
});

async function idOf(client: HttpClient): Promise<string> {
  return (await bodyOf<{ id: string }>(await client.get('/api/v1/auth/me'))).id;
}

async function signInFiles(client: HttpClient): Promise<readonly string[]> {
  return readdir(join(service.dataHome, 'users', await idOf(client), 'mcp-sign-ins'));
}

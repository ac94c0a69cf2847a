// Session tokens, the four ways to refuse them, and their signing secret.
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { authOptionsSchema } from '../../src/auth/auth-options.ts';
import { loadJwtSecret } from '../../src/auth/jwt-secret.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const SECRET = 'a secret that has more than thirty-two characters';
const DAY = 86_400_000;

let service: TestApp;
beforeEach(async () => {
  service = await openTestApp({ auth: { jwt_secret: SECRET } });
});
afterEach(() => service.close());

async function codeOf(client: HttpClient): Promise<string> {
  const answer = await client.get('/api/v1/auth/me');
  expect(answer.status).toBe(401);
  const detail = await detailOf<{ code: string; message: string }>(answer);
  expect(Object.keys(detail).sort()).toEqual(['code', 'message']);
  return detail.code;
}

function withToken(token: string): HttpClient {
  const client = service.client();
  client.cookies.set('access_token', token);
  return client;
}

function signed(header: object, claims: object, secret = SECRET): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function validClaims() {
  const client = await service.user();
  return decodeJwt(client.cookies.get('access_token') ?? '');
}

describe('sessions', () => {
  it('[auth.session.missing] no cookie is not_authenticated', async () => {
    expect(await codeOf(service.client())).toBe('not_authenticated');
    expect(await codeOf(withToken(''))).toBe('not_authenticated');
  });

  it('[auth.session.claims] the token is HS256 with sub, iat, exp, ver, jti, aud and typ', async () => {
    const client = await service.user();
    const token = client.cookies.get('access_token') ?? '';
    const me = await bodyOf<{ id: string }>(await client.get('/api/v1/auth/me'));
    expect(decodeProtectedHeader(token).alg).toBe('HS256');
    const iat = service.clock.now / 1000;
    const [{ sessionId: jti } = { sessionId: '' }] = await service.storage.as(me.id).sessions.list(0);
    const own = { sub: me.id, jti, ver: 0, aud: 'agent-service', typ: 'access' };
    expect(decodeJwt(token)).toEqual({ ...own, iat, exp: iat + 604_800 });
  });

  it('[auth.session.claims] a token made by hand with the same claims works, so that the refusals below are meaningful', async () => {
    const claims = await validClaims();
    expect((await withToken(signed({ alg: 'HS256' }, claims)).get('/api/v1/auth/me')).status).toBe(200);
  });

  it('[auth.session.invalid] [hostile.S24] malformed, forged and foreign tokens are token_invalid', async () => {
    const claims = await validClaims();
    const good = signed({ alg: 'HS256' }, claims);
    const [header = '', body = '', signature = ''] = good.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const bad = {
      text: 'hello',
      dots: '..',
      'alg none': `${none}.${body}.`,
      'alg none with signature': `${none}.${body}.${signature}`,
      'other secret': signed({ alg: 'HS256' }, claims, 'another secret of more than thirty-two characters'),
      'other algorithm': signed({ alg: 'HS512' }, claims),
      'public-key algorithm': signed({ alg: 'RS256', kid: '../../etc/passwd' }, claims),
      'key of the header': signed({ alg: 'HS256', jwk: { kty: 'oct', k: 'AAAA' } }, claims, 'AAAA'),
      'critical header': signed({ alg: 'HS256', crit: ['exp'], exp: 1 }, claims),
      'secret of another service': signed({ alg: 'HS256' }, claims, ''),
      'no session, as before they were rows': signed({ alg: 'HS256' }, { ...claims, jti: undefined }),
      'a session that never was': signed({ alg: 'HS256' }, { ...claims, jti: crypto.randomUUID() }),
      'no audience': signed({ alg: 'HS256' }, { ...claims, aud: undefined }),
      'another audience': signed({ alg: 'HS256' }, { ...claims, aud: 'another-service' }),
      'no type': signed({ alg: 'HS256' }, { ...claims, typ: undefined }),
      'another type': signed({ alg: 'HS256' }, { ...claims, typ: 'refresh' }),
      'changed subject': `${header}.${Buffer.from(JSON.stringify({ ...claims, sub: 'x' })).toString('base64url')}.${signature}`,
      'no expiry': signed({ alg: 'HS256' }, { ...claims, exp: undefined }),
      'no version': signed({ alg: 'HS256' }, { ...claims, ver: undefined }),
      'version of another type': signed({ alg: 'HS256' }, { ...claims, ver: '0' }),
      'not yet valid': signed({ alg: 'HS256' }, { ...claims, nbf: service.clock.now / 1000 + 60 }),
      'another version': signed({ alg: 'HS256' }, { ...claims, ver: 1 }),
      huge: 'a'.repeat(20_000),
    };
    for (const [name, token] of Object.entries(bad)) {
      expect([name, await codeOf(withToken(token))]).toEqual([name, 'token_invalid']);
    }
  });

  it('[auth.session.invalid] the log names the wrong claim, the response does not', async () => {
    const client = withToken(signed({ alg: 'HS256' }, { ...(await validClaims()), aud: 'another-service' }));
    expect(JSON.stringify(await bodyOf(await client.get('/api/v1/auth/me')))).not.toContain('aud');
    const refusals = service.lines.filter(({ message }) => message === 'Request not authenticated');
    expect(refusals).toMatchObject([
      { level: 'debug', fields: { err: { cause: { claim: 'aud', reason: 'check_failed' } } } },
    ]);
  });

  it('[auth.session.expired] [auth.session.life] a session lives 7 days', async () => {
    const client = await service.user();
    service.clock.now += 7 * DAY - 1000;
    expect((await client.get('/api/v1/auth/me')).status).toBe(200);
    service.clock.now += 1000;
    expect(await codeOf(client)).toBe('token_expired');
  });

  it('[auth.session.user-gone] [hostile.S24] a token of a user that does not exist is user_not_found', async () => {
    const claims = { ...(await validClaims()), sub: 'ffffffff-ffff-4fff-8fff-ffffffffffff' };
    expect(await codeOf(withToken(signed({ alg: 'HS256' }, claims)))).toBe('user_not_found');
  });

  it('[auth.session.invalid] [hostile.S24] a session of one user is invalid for another', async () => {
    const { jti } = await validClaims();
    const claims = { ...(await validClaims()), jti };
    expect(await codeOf(withToken(signed({ alg: 'HS256' }, claims)))).toBe('token_invalid');
  });

  it('[auth.session.ended] of many sessions those have ended whose requests would be refused', async () => {
    const claims = await validClaims();
    const others = Array.from({ length: 600 }, (_, n) => ({ ...claims, jti: `gone-${n}` }));
    const over = [
      signed({ alg: 'HS256' }, { ...claims, ver: 1 }),
      signed({ alg: 'HS256' }, { ...claims, exp: service.clock.now / 1000 }),
      ...others.map((it) => signed({ alg: 'HS256' }, it)),
      '',
    ];
    const good = signed({ alg: 'HS256' }, claims);
    expect(await service.auth.sessions.ended([good, ...over, good])).toEqual(over);
  });
});

describe('secret', () => {
  let dataHome: string;
  beforeEach(async () => {
    dataHome = await mkdtemp(join(tmpdir(), 'agent-service-secret-'));
  });
  afterEach(() => rm(dataHome, { recursive: true, force: true }));

  it('[auth.secret.short] a short configured secret is refused with a sentence', async () => {
    await expect(loadJwtSecret({ dataHome, configured: 'x'.repeat(31) })).rejects.toThrow(/fewer than 32/);
    expect(await loadJwtSecret({ dataHome, configured: SECRET })).toBe(SECRET);
    await writeFile(join(dataHome, '.jwt_secret'), 'short');
    await expect(loadJwtSecret({ dataHome })).rejects.toThrow(/fewer than 32/);
  });

  it('[hostile.S60] [auth.secret.weak] a guessable secret is refused, configured or in the file', async () => {
    const weak = [
      'changeme'.repeat(4),
      'changeme-changeme-changeme-changeme',
      'change-this-to-your-secret-key-please',
      'YOUR_SUPER_SECRET_JWT_SIGNING_KEY_HERE',
      'x'.repeat(64),
      '0123456789abcdef0123456789abcdef',
      'abcdefghijklmnopqrstuvwxyz0123456789',
      'password1234password1234password12',
    ];
    for (const secret of weak) {
      expect([secret, authOptionsSchema.safeParse({ jwt_secret: secret }).success]).toEqual([secret, false]);
      await expect(loadJwtSecret({ dataHome, configured: secret })).rejects.toThrow(/AUTH_JWT_SECRET must/);
      await writeFile(join(dataHome, '.jwt_secret'), secret);
      await expect(loadJwtSecret({ dataHome })).rejects.toThrow(/must not/);
    }
    for (const encoding of ['base64', 'base64url', 'hex'] as const) {
      const random = randomBytes(24).toString(encoding);
      expect(authOptionsSchema.safeParse({ jwt_secret: random }).success).toBe(true);
      expect(await loadJwtSecret({ dataHome, configured: random })).toBe(random);
    }
  });

  it('[auth.secret.generated] it is generated once, and concurrent starts get the same one', async () => {
    const folder = join(dataHome, 'not', 'there', 'yet');
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadJwtSecret({ dataHome: folder })));
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]?.length).toBeGreaterThanOrEqual(32);
    const path = join(folder, '.jwt_secret');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readFile(path, 'utf8')).trim()).toBe(secrets[0]);
    await chmod(path, 0o644);
    expect(await loadJwtSecret({ dataHome: folder })).toBe(secrets[0]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('[auth.secret.generated] a symbolic link in its place is not followed', async () => {
    await writeFile(join(dataHome, 'elsewhere'), 'x'.repeat(64));
    await symlink(join(dataHome, 'elsewhere'), join(dataHome, '.jwt_secret'));
    await expect(loadJwtSecret({ dataHome })).rejects.toThrow();
  });
});

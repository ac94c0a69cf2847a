// A page whose own name was made to lead to this machine.
import { afterEach, expect, it } from 'vitest';
import { detailOf } from '../support/http-client.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let service: TestApp;
afterEach(() => service.close());

async function asked(host: string, path = '/api/v1/auth/setup-status'): Promise<number> {
  return (await service.client().get(path, { host })).status;
}

const ANN = { email: 'ann@example.com', password: 'correct horse battery' };

it('[hostile.S42] it can neither register nor read anything, and the refusal says what to do', async () => {
  service = await openTestApp();
  for (const host of ['evil.example.com:2026', 'localhost.evil.example.com', '127.0.0.1.evil.example.com']) {
    const headers = { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
    const answer = await service.client().post('/api/v1/auth/register', ANN, headers);
    expect([host, answer.status]).toEqual([host, 403]);
    expect(await detailOf(answer)).toMatch(/server\.allowed_hosts/);
    for (const path of ['/', '/health', '/openapi.json']) expect(await asked(host, path)).toBe(403);
  }
});

it('[hostile.S42] this machine, addresses and configured names are answered', async () => {
  service = await openTestApp({ http: { allowed_hosts: ['chat.example.com'] } });
  const hosts = [
    'localhost:2026',
    'LOCALHOST',
    'a.localhost',
    '127.0.0.1:2026',
    '[::1]:2026',
    '192.168.1.7:2026',
  ];
  for (const host of [...hosts, 'chat.example.com', 'chat.example.com:8080'])
    expect([host, await asked(host)]).toEqual([host, 200]);
});

it('[hostile.S42] a trusted proxy may pass on any name, and so may clients of an open address', async () => {
  service = await openTestApp({ auth: { trusted_proxies: ['10.0.0.1'] } });
  expect(await asked('chat.example.com')).toBe(403);
  service.peer.address = '10.0.0.1';
  expect(await asked('chat.example.com')).toBe(200);
  await service.close();
  service = await openTestApp({ http: { host: '0.0.0.0' } });
  expect(await asked('chat.example.com')).toBe(200);
});

// The process as an operator sees it: how it starts, and how it stops.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { PASSWORD, SECRET } from './support/open-backend.ts';

function start(environment: Record<string, string>) {
  return spawn(process.execPath, ['start.ts', 'backend'], { env: { PATH: process.env.PATH, ...environment } });
}

it('says what is wrong with the configuration, and exits with 1', async () => {
  const child = start({ JWT_SECRET: 'short', APP_ENVIRONMENT: 'moon' });
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(code).toBe(1);
  expect(said).toMatch(
    /^The configuration is not right \(2\):\n {2}- app.environment .+\n {2}- security.jwt.secret .+\n$/,
  );
});

it('is not ready while it drains, and finishes what is under way', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'process-'));
  // Below those that the system gives to others before this one is taken.
  const port = 20_000 + (process.pid % 10_000);
  const child = start({
    JWT_SECRET: SECRET,
    DATA_FOLDER: folder,
    APP_ENVIRONMENT: 'staging',
    APP_LOGGING_FORMAT: 'json',
    APP_SERVER_BACKEND_PORT: String(port),
  });
  const log = text(child.stdout);
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => (await fetch(`${url}/health/ready`).catch(() => ({ status: 0 }))).status;
  await expect.poll(ready, { timeout: 30_000 }).toBe(200);

  const headers = { 'content-type': 'application/json' };
  const upload = request(`${url}/api/auth/register`, { method: 'POST', headers });
  upload.write('{"email":"ada@example.com",');
  const answer = once(upload, 'response');
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await expect.poll(ready, { timeout: 30_000, interval: 20 }).toBe(503);
  await expect.poll(ready, { timeout: 30_000 }).toBe(0);
  upload.end(`"password":"${PASSWORD}"}`);
  const [response] = await answer;

  expect([response.statusCode, response.headers.connection]).toEqual([201, 'close']);
  response.resume();
  expect(await exit).toEqual([0, null]);
  const line = (await log).split('\n').find((it) => it.includes(response.headers['x-request-id']));
  expect(JSON.parse(line ?? '')).toMatchObject({ path: '/api/auth/register', status: 201 });
  expect(await log).not.toContain('ada@example.com');
  await rm(folder, { recursive: true });
});

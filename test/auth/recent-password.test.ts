// Actions for which a stolen session is not enough, because they require the password again.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeKey, withKey } from '../support/api-key.ts';
import { bodyOf, detailOf, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestService, TEST_PASSWORD, type TestService } from '../support/service.ts';

const AUTH = '/api/v1/auth';
const MINUTE = 60_000;

let clock: { now: number };
let service: TestService;
let ann: HttpClient;
beforeEach(async () => {
  clock = { now: Date.now() };
  service = await openTestService({ overrides: { now: () => clock.now } });
  ann = await service.user('ann');
});
afterEach(() => service.close());

const confirm = (client: HttpClient, password = TEST_PASSWORD) =>
  client.post(`${AUTH}/confirm-password`, { password });

/** Requests every action that may require the password again. */
async function sensitive(client: HttpClient): Promise<readonly unknown[]> {
  const answers = [
    await client.post(`${AUTH}/api-keys`, { name: 'a program' }),
    await client.get('/api/account/export'),
  ];
  return Promise.all(
    answers.map(async (answer) => {
      if (answer.status < 400) {
        await answer.arrayBuffer();
        return answer.status;
      }
      return [answer.status, (await detailOf<{ code: string }>(answer)).code];
    }),
  );
}

const REFUSED = [403, 'password_required'];

/** Returns how many seconds the password of the client's session remains recent, according to the list. */
async function secondsLeft(client: HttpClient): Promise<number | undefined> {
  const { sessions } = await jsonOf<{
    sessions: { current: boolean; password_confirmed_seconds: number }[];
  }>(client.get(`${AUTH}/sessions`));
  return sessions.find(({ current }) => current)?.password_confirmed_seconds;
}

it('[auth.recent-password] [hostile.S26] ten minutes after the last password it is required again', async () => {
  clock.now += 9 * MINUTE;
  expect(await secondsLeft(ann)).toBe(60);
  clock.now += MINUTE - 1;
  expect(await sensitive(ann)).toEqual([201, 200]);
  clock.now += 1;
  expect(await sensitive(ann)).toEqual([REFUSED, REFUSED]);
  clock.now += MINUTE;
  expect(await secondsLeft(ann)).toBe(0);
  // Other requests do not require it.
  expect((await ann.get(`${AUTH}/api-keys`)).status).toBe(200);
  expect((await ann.post('/api/threads', {})).status).toBe(200);

  const answer = await confirm(ann);
  expect([answer.status, await bodyOf(answer)]).toEqual([200, { message: 'Password confirmed' }]);
  expect(await sensitive(ann)).toEqual([201, 200]);
});

it('[auth.recent-password] [hostile.S26] the password counts for the session that gave it, and a wrong one for the lockout', async () => {
  const phone = service.client();
  await phone.signIn({ email: 'ann@example.com', password: TEST_PASSWORD });
  clock.now += 11 * MINUTE;
  await confirm(ann);
  expect(await sensitive(ann)).toEqual([201, 200]);
  expect(await sensitive(phone)).toEqual([REFUSED, REFUSED]);
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await confirm(phone, `guess ${count}`)).status);
  expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
  expect(await sensitive(phone)).toEqual([REFUSED, REFUSED]);
});

it('[auth.recent-password] requests with the password ask for no more, a new password counts, and no API key gets there', async () => {
  const { key } = await makeKey(ann);
  clock.now += 11 * MINUTE;
  const change = { current_password: TEST_PASSWORD, new_email: 'new@example.com' };
  expect((await ann.post(`${AUTH}/change-email`, change)).status).toBe(200);
  expect(await sensitive(ann)).toEqual([201, 200]);
  const program = withKey(service.service.app, key);
  expect((await confirm(program)).status).toBe(403);
  // A program has no password, and its key can read everything in an export anyway.
  expect((await program.get('/api/account/export')).status).toBe(200);
  clock.now += 11 * MINUTE;
  const password = JSON.stringify({ password: TEST_PASSWORD });
  const headers = { 'content-type': 'application/json' };
  expect((await ann.send('DELETE', `${AUTH}/me`, { body: password, headers })).status).toBe(200);
});

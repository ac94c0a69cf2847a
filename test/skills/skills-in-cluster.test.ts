// Skills of one person, changed through two services on one data home and one database.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { jsonOf } from '../support/json-of.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { openTestService, type TestService } from '../support/service.ts';
import { skillText } from '../support/skill-files.ts';
import { installPackage, skillPackage } from '../support/skill-package.ts';

let dataHome: string;
let postgres: TestPostgres;
let services: readonly TestService[];
let ann: HttpClient;
let elsewhere: HttpClient;
beforeAll(async () => {
  dataHome = await mkdtemp(join(tmpdir(), 'agent-service-'));
  postgres = await openTestPostgres();
  const config = { database: { url: postgres.url } };
  const first = await openTestService({ dataHome, config });
  const second = await openTestService({ dataHome, config });
  services = [first, second];
  ann = await first.user();
  elsewhere = createHttpClient(second.service.app);
  for (const [name, value] of ann.cookies) elsewhere.cookies.set(name, value);
});
afterAll(async () => {
  for (const service of services) await service.close();
  await postgres.close();
  await rm(dataHome, { recursive: true, force: true });
});

const ROUNDS = 12;
const create = (client: HttpClient, name: string) => client.post('/api/skills', { content: skillText(name) });
const fileAt = (name: string, path = 'references/a.md') => `/api/skills/${name}/files/${path}`;
const put = (client: HttpClient, path: string, { body, match }: { body: string; match?: string }) =>
  client.send('PUT', path, {
    body,
    headers: { 'content-type': 'text/plain', ...(match === undefined ? {} : { 'if-match': match }) },
  });
const changesOf = async (name: string) =>
  (
    await jsonOf<{ history: { new_content: string | null }[] }>(ann.get(`/api/skills/${name}/history`))
  ).history.map((change) => change.new_content);
/** Sends both requests concurrently; who begins alternates between rounds. */
const both = async <Result>(round: number, ask: (client: HttpClient) => Promise<Result>) =>
  Promise.all((round % 2 === 0 ? [ann, elsewhere] : [elsewhere, ann]).map(ask));

describe('concurrent changes of two processes', () => {
  it('[skills.cluster] keep every switch', async () => {
    const names = Array.from({ length: ROUNDS }, (_, n) => `switched-${n}`);
    for (const name of names) expect((await create(ann, name)).status).toBe(201);
    const off = await Promise.all(
      names.map((name, n) => (n % 2 === 0 ? ann : elsewhere).post(`/api/skills/${name}/disable`)),
    );
    expect(new Set(off.map(({ status }) => status))).toEqual(new Set([200]));
    for (const client of [ann, elsewhere]) {
      const { skills } = await jsonOf<{ skills: { name: string; enabled: boolean }[] }>(
        client.get('/api/skills'),
      );
      const left = skills.filter(({ name, enabled }) => names.includes(name) && enabled);
      expect(left).toEqual([]);
    }
  });

  it('[skills.cluster] write every successful change into the history', async () => {
    await create(ann, 'tea');
    const done: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await both(round, async (client) => {
        const text = `${client === ann ? 'here' : 'elsewhere'} ${round}`;
        return { text, status: (await put(client, fileAt('tea'), { body: text })).status };
      });
      for (const { text, status } of answers) {
        expect([200, 409]).toContain(status);
        if (status === 200) done.push(text);
      }
      expect(answers.some(({ status }) => status === 200)).toBe(true);
    }
    const [created, ...written] = await changesOf('tea');
    expect(created).toContain('name: tea');
    expect(written.toSorted()).toEqual(done.toSorted());
    expect(await (await elsewhere.get(fileAt('tea'))).text()).toBe(written.at(-1));
  });

  it('[skills.cluster] [skills.files.version] let one of two that have seen the same version write', async () => {
    await create(ann, 'cake');
    await put(ann, fileAt('cake'), { body: 'first' });
    for (let round = 0; round < ROUNDS; round++) {
      const seen = (await ann.get(fileAt('cake'))).headers.get('etag') ?? '';
      const answers = await both(round, (client) =>
        put(client, fileAt('cake'), { body: `round ${round}`, match: seen }),
      );
      const [won, lost] = answers.map(({ status }) => status).toSorted();
      expect([won, [409, 412].includes(lost ?? 0)]).toEqual([200, true]);
    }
    expect(await changesOf('cake')).toHaveLength(ROUNDS + 2);
  });

  it('[skills.cluster] [skills.install.exists] create one skill of a name', async () => {
    for (let round = 0; round < 4; round++) {
      const package_ = await skillPackage(`twice-${round}`, { 'references/a.md': 'x' });
      const answers = await both(round, (client) => installPackage(client, package_));
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    }
  });

  it('[skills.cluster] refuse a change of a skill that another process is changing', async () => {
    await create(ann, 'soup');
    const { id } = await jsonOf<{ id: string }>(ann.get('/api/v1/auth/me'));
    const { skillStates } = services[1]?.service.storage.as(id) ?? {};
    const claim = { name: 'soup', holder: 'another process', until: Date.now() + 600_000 };
    expect(await skillStates?.claim(claim, Date.now())).toBe('claimed');
    const refused = [
      () => put(ann, fileAt('soup'), { body: 'x' }),
      () => ann.put('/api/skills/soup', { content: skillText('soup') }),
      () => ann.delete('/api/skills/soup'),
      () => ann.post('/api/skills/soup/rollback', { history_index: 0 }),
    ];
    for (const ask of refused) {
      const answer = await ask();
      expect([answer.status, await answer.text()]).toEqual([409, expect.stringContaining('another request')]);
    }
    expect(await changesOf('soup')).toHaveLength(1);
    await skillStates?.release(claim);
    expect((await put(ann, fileAt('soup'), { body: 'x' })).status).toBe(200);
  });
});

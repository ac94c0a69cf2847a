// A Postgres server that may lose its commits: the service reports it at its start.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gapsIn } from '../../src/storage/sql/database/postgres-durability.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { openTestPostgres, type TestPostgres } from '../support/postgres.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';

describe('the settings of a Postgres server', () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await openTestPostgres();
  });
  afterAll(() => server.close());

  async function warnings(commits: string): Promise<readonly string[]> {
    const url = new URL(server.url);
    const options = [url.searchParams.get('options'), `-c synchronous_commit=${commits}`];
    url.searchParams.set('options', options.filter((it) => it !== null).join(' '));
    const said: string[] = [];
    const log = { ...QUIET_LOG, warn: (_: object, message: string) => void said.push(message) };
    await (await openStorage({ url: url.href, log })).close();
    return said.filter((message) => message.includes('synchronous_commit'));
  }

  it('[storage.durable.postgres] are reported while commits do not wait for the disk, and the service works', async () => {
    expect(await warnings('off')).toEqual([expect.stringContaining('may lose what was just shown')]);
    for (const commits of ['local', 'on']) expect(await warnings(commits)).toEqual([]);
  });
});

it('[storage.durable.postgres] names each setting that is off', () => {
  const settings = ['fsync', 'full_page_writes', 'synchronous_commit'];
  const named = (value: string) =>
    gapsIn(new Map(settings.map((name) => [name, value]))).map(({ setting }) => setting);
  expect(named('off').toSorted()).toEqual(settings);
  expect(named('on')).toEqual([]);
});

// A stopped service whose database holds the record: filled now, or a copy of what an earlier bench has filled.
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestPostgres, type TestPostgres } from '../test/support/postgres.ts';
import { freePort } from './child.ts';
import { fillRecord, type RecordSize } from './fill-record.ts';
import { type StoppedService, startService } from './service.ts';

export interface FilledRecord {
  readonly service: StoppedService;
  /** The database of the service, if it is not in its data home. */
  readonly databaseUrl: string | undefined;
  /** The URL of the database, wherever it is. */
  readonly url: string;
  /** `undefined` for a copy. */
  readonly fillSeconds: number | undefined;
  /** Of the file; Postgres is not measured. */
  readonly megabytes: number | undefined;
  close(): Promise<void>;
}

interface FillOrder {
  readonly modelPort: number;
  readonly name: 'SQLite' | 'Postgres';
  readonly size: RecordSize;
  /** A folder in which it stays; the database on Postgres stays there. Absent: nothing is left. */
  readonly keep: string | undefined;
  readonly log: (text: string) => void;
}

export async function openFilledRecord(order: FillOrder): Promise<FilledRecord> {
  if (order.keep === undefined) return fill(order);
  const kept = placeOf(order.keep, order);
  if (!existsSync(kept.session)) {
    const { service, server } = await fill(order);
    const { headers, userId } = service;
    await server?.keepAs(kept.database);
    renameSync(service.dataHome, kept.home);
    writeFileSync(kept.session, JSON.stringify({ headers, userId }));
  }
  return copyOf(kept, order);
}

interface Place {
  readonly home: string;
  readonly session: string;
  /** On the Postgres server. */
  readonly database: string;
}

function placeOf(keep: string, { name, size }: FillOrder): Place {
  const stem = join(keep, `${name.toLowerCase()}-${size.threads}`);
  return { home: stem, session: `${stem}.json`, database: `bench_record_${size.threads}` };
}

async function fill(order: FillOrder) {
  const server = order.name === 'Postgres' ? await openTestPostgres() : undefined;
  // The first start makes the schema and the account.
  const service = await startService(order.modelPort, { databaseUrl: server?.url });
  await service.stop();
  const filled = opened(service, server);
  const begun = performance.now();
  await fillRecord({ ...order.size, url: filled.url, userId: service.userId, log: order.log });
  const fillSeconds = (performance.now() - begun) / 1_000;
  return { ...filled, ...sizeOf(filled), fillSeconds, server };
}

async function copyOf(kept: Place, { name }: FillOrder): Promise<FilledRecord> {
  const dataHome = mkdtempSync(join(tmpdir(), 'bench-service-'));
  cpSync(kept.home, dataHome, { recursive: true });
  const server = name === 'Postgres' ? await openTestPostgres(kept.database) : undefined;
  const session: Pick<StoppedService, 'headers' | 'userId'> = JSON.parse(readFileSync(kept.session, 'utf8'));
  const filled = opened({ ...session, dataHome, port: await freePort() }, server);
  return { ...filled, ...sizeOf(filled), fillSeconds: undefined };
}

function opened(service: StoppedService, server: TestPostgres | undefined) {
  return {
    service,
    databaseUrl: server?.url,
    url: server?.url ?? `sqlite:${join(service.dataHome, 'service.db')}`,
    async close() {
      await rm(service.dataHome, { recursive: true, force: true });
      await server?.close();
    },
  };
}

function sizeOf({ service, databaseUrl }: Pick<FilledRecord, 'service' | 'databaseUrl'>) {
  const file = join(service.dataHome, 'service.db');
  return { megabytes: databaseUrl === undefined ? statSync(file).size / 1e6 : undefined };
}

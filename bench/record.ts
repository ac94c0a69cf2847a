// Listings and searches of a user with 100,000 threads and a million run events, on both databases.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openTestPostgres } from '../test/support/postgres.ts';
import { fillRecord, type RecordSize } from './fill-record.ts';
import { type AccountFigures, measureAccount, measureVerify } from './record-account.ts';
import { type IsolationFigures, measureIsolation } from './record-isolation.ts';
import { QUESTIONS, type Question } from './record-questions.ts';
import { type RunningService, restartService, startService } from './service.ts';

export interface RecordFigures {
  readonly size: RecordSize;
  readonly databases: readonly DatabaseFigures[];
}

interface DatabaseFigures {
  readonly name: string;
  readonly fillSeconds: number;
  /** Of the file; Postgres is not measured. */
  readonly megabytes: number | undefined;
  /** Over HTTP. */
  readonly requests: readonly RequestFigures[];
  readonly isolation: readonly IsolationFigures[];
  readonly account: AccountFigures;
  /** Milliseconds a thread. */
  readonly verify: number;
}

interface RequestFigures {
  readonly kind: Question['kind'];
  readonly what: string;
  readonly median: number;
  readonly p95: number;
}

interface RecordOrder {
  readonly modelPort: number;
  readonly size: RecordSize;
  readonly log: (text: string) => void;
}

const REQUESTS = 60;
const WARM_UP = 5;

export async function measureRecord(order: RecordOrder): Promise<RecordFigures> {
  const sqlite = await measureDatabase(order, { name: 'SQLite', url: undefined });
  const server = await openTestPostgres();
  try {
    const postgres = await measureDatabase(order, { name: 'Postgres', url: server.url });
    return { size: order.size, databases: [sqlite, postgres] };
  } finally {
    await server.close();
  }
}

async function measureDatabase(
  { modelPort, size, log }: RecordOrder,
  { name, url: databaseUrl }: { readonly name: string; readonly url: string | undefined },
): Promise<DatabaseFigures> {
  // The first start makes the schema and the account.
  const first = await startService(modelPort, { databaseUrl });
  let service = first;
  try {
    await first.stop();
    const file = join(first.dataHome, 'service.db');
    const url = databaseUrl ?? `sqlite:${file}`;
    const begun = performance.now();
    await fillRecord({ ...size, url, userId: first.userId, log: (text) => log(`${name}: ${text}`) });
    const fillSeconds = (performance.now() - begun) / 1_000;
    const megabytes = databaseUrl === undefined ? statSync(file).size / 1e6 : undefined;
    service = await restartService(first, modelPort, { databaseUrl });
    const requests: RequestFigures[] = [];
    for (const question of QUESTIONS) {
      requests.push(await measureQuestion(service, question, size));
      log(`${name}: ${JSON.stringify(requests.at(-1))}`);
    }
    const account = await measureAccount(service, url);
    log(`${name}: ${JSON.stringify(account)}`);
    await service.stop();
    const verify = await measureVerify(url);
    const isolation = await measureIsolation(
      url,
      first.userId,
      (request) => requests.find((it) => it.what === request)?.median ?? Number.NaN,
    );
    log(`${name}: ${JSON.stringify(isolation)}`);
    return { name, fillSeconds, megabytes, requests, isolation, account, verify };
  } finally {
    await service.end();
  }
}

async function measureQuestion(
  service: RunningService,
  { kind, what, ask }: Question,
  size: RecordSize,
): Promise<RequestFigures> {
  const times: number[] = [];
  for (let n = 0; n < WARM_UP + REQUESTS; n++) {
    const [path, body] = ask(n, size);
    const begun = performance.now();
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...service.headers, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (n >= WARM_UP) times.push(performance.now() - begun);
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  return { kind, what, median: at(sorted, 0.5), p95: at(sorted, 0.95) };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

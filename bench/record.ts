// Listings and searches of a user with 100,000 threads and a million run events, on both databases.

import type { RecordSize } from './fill-record.ts';
import { openFilledRecord } from './filled-record.ts';
import { cpuMicroseconds, postgresProcesses } from './process-usage.ts';
import { type AccountFigures, measureAccount, measureVerify } from './record-account.ts';
import { type IsolationFigures, measureIsolation } from './record-isolation.ts';
import { QUESTIONS, type Question } from './record-questions.ts';
import { type RunningService, restartService } from './service.ts';

export interface RecordFigures {
  readonly size: RecordSize;
  readonly databases: readonly DatabaseFigures[];
}

interface DatabaseFigures {
  readonly name: DatabaseName;
  /** `undefined` when an earlier bench had filled it. */
  readonly fillSeconds: number | undefined;
  /** Of the file; Postgres is not measured. */
  readonly megabytes: number | undefined;
  /** Over HTTP. */
  readonly requests: readonly RequestFigures[];
  readonly isolation: readonly IsolationFigures[];
  readonly account: AccountFigures;
  /** Milliseconds a thread. */
  readonly verify: number;
}

type DatabaseName = 'SQLite' | 'Postgres';

interface RequestFigures {
  readonly kind: Question['kind'];
  readonly what: string;
  readonly median: number;
  readonly p95: number;
  /** Milliseconds a request. */
  readonly serviceCpu: number;
  /** The same of a server on this machine, without workers that it takes to help. */
  readonly databaseCpu: number;
}

export interface RecordOrder {
  readonly modelPort: number;
  readonly size: RecordSize;
  /** A folder in which filled databases stay for the next bench. */
  readonly keep?: string | undefined;
  /** Only this one. */
  readonly database?: string | undefined;
  readonly log: (text: string) => void;
}

const REQUESTS = 60;
const WARM_UP = 5;
const NAMES: readonly DatabaseName[] = ['SQLite', 'Postgres'];

export async function measureRecord(order: RecordOrder): Promise<RecordFigures> {
  const databases: DatabaseFigures[] = [];
  for (const name of NAMES) {
    if (order.database !== undefined && order.database !== name.toLowerCase()) continue;
    databases.push(await measureDatabase(order, name));
  }
  return { size: order.size, databases };
}

async function measureDatabase(order: RecordOrder, name: DatabaseName): Promise<DatabaseFigures> {
  const { modelPort, size, keep } = order;
  const log = (text: string) => order.log(`${name}: ${text}`);
  const filled = await openFilledRecord({ modelPort, size, keep, name, log });
  const { databaseUrl, url, fillSeconds, megabytes } = filled;
  try {
    const service = await restartService(filled.service, modelPort, { databaseUrl });
    const requests: RequestFigures[] = [];
    let account: AccountFigures;
    try {
      for (const question of QUESTIONS) {
        requests.push(await measureQuestion(service, question, { size, databaseUrl }));
        log(JSON.stringify(requests.at(-1)));
      }
      account = await measureAccount(service, url);
      log(JSON.stringify(account));
    } finally {
      await service.stop();
    }
    const verify = await measureVerify(url);
    log(`${verify} ms to verify a thread`);
    const isolation = await measureIsolation(
      url,
      filled.service.userId,
      (request) => requests.find((it) => it.what === request)?.median ?? Number.NaN,
    );
    log(JSON.stringify(isolation));
    return { name, fillSeconds, megabytes, requests, isolation, account, verify };
  } finally {
    await filled.close();
  }
}

interface Asked {
  readonly size: RecordSize;
  readonly databaseUrl: string | undefined;
}

async function measureQuestion(
  service: RunningService,
  { kind, what, ask }: Question,
  { size, databaseUrl }: Asked,
): Promise<RequestFigures> {
  const times: number[] = [];
  let before = cpuOf(service, databaseUrl);
  for (let n = 0; n < WARM_UP + REQUESTS; n++) {
    if (n === WARM_UP) before = cpuOf(service, databaseUrl);
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
  const used = usedSince(before, cpuOf(service, databaseUrl));
  const sorted = times.toSorted((a, b) => a - b);
  return {
    kind,
    what,
    median: at(sorted, 0.5),
    p95: at(sorted, 0.95),
    serviceCpu: used.service / REQUESTS,
    databaseCpu: used.database / REQUESTS,
  };
}

interface CpuSoFar {
  readonly service: number;
  /** By process. */
  readonly database: ReadonlyMap<number, number>;
}

/** Milliseconds. */
function cpuOf({ pid }: RunningService, databaseUrl: string | undefined): CpuSoFar {
  const servers = databaseUrl === undefined ? [] : postgresProcesses(new URL(databaseUrl).pathname.slice(1));
  const database = new Map(servers.map((server) => [server, cpuMicroseconds(server) / 1_000]));
  return { service: cpuMicroseconds(pid) / 1_000, database };
}

/** Of connections that are still there. */
function usedSince(before: CpuSoFar, after: CpuSoFar) {
  const database = [...after.database].map(([pid, cpu]) => cpu - (before.database.get(pid) ?? 0));
  return {
    service: after.service - before.service,
    database: database.reduce((sum, cpu) => sum + cpu, 0),
  };
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

// The figures of the record as a section of the page and as targets.
import type { RecordFigures } from './record.ts';
import { atMost, number, type Target, table } from './report-table.ts';

export function recordSection({ size, databases }: RecordFigures): string {
  const rows = databases.flatMap(({ name, requests }) =>
    requests.map(({ what, kind, median, p95, serviceCpu, databaseCpu }) => {
      const cpu = [number(serviceCpu), name === 'SQLite' ? '' : number(databaseCpu)];
      return [`${name}: ${what}`, kind, number(median), number(p95), ...cpu];
    }),
  );
  const owners = databases.flatMap(({ name, isolation }) =>
    isolation.map(({ what, bound, unscoped, share }) => {
      return [`${name}: ${what}`, number(bound), number(unscoped), number(share * 100)];
    }),
  );
  const filled = databases.map(({ name, fillSeconds, megabytes }) => {
    const filling = fillSeconds === undefined ? 'earlier' : `in ${number(fillSeconds)} s`;
    return `${name} ${filling}${megabytes === undefined ? '' : ` (${number(megabytes)} MB)`}`;
  });
  const accounts = databases.map(({ name, account: it, verify }) => {
    const seconds = `exported in ${number(it.exportSeconds)} s (${number(it.megabytes)} MB), imported in ${number(it.importSeconds)} s`;
    return `${name}: an account of ${number(it.messages)} messages ${seconds}; verified in ${number(verify)} ms a thread.`;
  });
  return [
    `One user with ${number(size.threads)} threads and about ${number(size.events)} run events, written with bulk statements: ${filled.join(', ')}. 60 requests of each kind, one after the other.`,
    table(['request', 'kind', 'median ms', 'p95 ms', 'CPU ms', 'CPU of Postgres, ms'], rows),
    'Calls of the storage for an owner and without one; what the owner adds is a share of the request with that call.',
    table(['call', 'owner ms', 'unscoped ms', 'added, % of a request'], owners),
    accounts.join('\n'),
  ].join('\n\n');
}

const LIMITS = { listing: 50, events: 20, words: 150 } as const;
const NAMES = { listing: 'listings', events: 'pages of 200 events', words: 'full-text search' } as const;

export function recordTargets(record: RecordFigures | undefined): readonly Target[] {
  if (record === undefined) return [];
  return record.databases.flatMap(({ name, requests, isolation }) => [
    ...(['listing', 'events', 'words'] as const).map((kind) => {
      const slowest = Math.max(...requests.filter((it) => it.kind === kind).map((it) => it.p95));
      return atMost(`${NAMES[kind]} on ${name}, slowest kind, p95, ms`, LIMITS[kind], slowest);
    }),
    atMost(
      `what owners add on ${name}, % of a request`,
      5,
      Math.max(...isolation.map((it) => it.share)) * 100,
    ),
  ]);
}

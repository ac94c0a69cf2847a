// The cost that row-level security on Postgres adds to a request: `node bench/row-security.ts`. Three services on one database,
// two without it and one with it, answer the same requests in turns. How far the two are apart is what the machine does.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { openTestPostgres } from '../test/support/postgres.ts';
import { startServer } from './child.ts';
import { fillRecord, LONGEST } from './fill-record.ts';
import { cpuMicroseconds } from './process-usage.ts';
import { QUESTIONS, type Question } from './record-questions.ts';
import { post, quantile } from './run-client.ts';
import { longThreadFile } from './scripted-answers.ts';
import { type RunningService, signUp, startService } from './service.ts';

const SIZE = { threads: 2_000, events: 20_000 };
const ROUNDS = 300;
/** Until all three are compiled as far as they will be. */
const WARM_UP = 150;
const TURNS = 20;
const ASKED = new Set([
  'newest threads',
  'metadata of 100 threads',
  'count of all',
  'runs of a thread',
  '200 events of a run',
  '200 messages of a thread',
  'a rare word',
  'a word of every other text',
]);

/** Another user sends requests in between, so that connections change their owners. */
const IN_TURNS = 'owners in turns';

interface Asked extends Service {
  readonly name: string;
}

interface Service extends Pick<RunningService, 'port' | 'headers' | 'pid'> {}

/** Of one request: milliseconds on the clock, and of CPU in the service and its connections of the database. */
interface Cost {
  readonly wall: number;
  readonly service: number;
  readonly database: number;
  /** Both. */
  readonly cpu: number;
}

/** Each is told with how much more the twin and the one with it take. */
const KINDS = ['service', 'database', 'cpu', 'wall'] as const;

// All of them take the same session.
process.env.AUTH_JWT_SECRET = randomBytes(32).toString('hex');
const server = await openTestPostgres();
const model = await startServer('model-server.ts');
const started: RunningService[] = [];
const control = new pg.Client({ connectionString: server.url });
await control.connect();
try {
  const without = await start('off', false);
  await fillRecord({ ...SIZE, url: server.url, userId: without.userId, log: () => {} });
  const { headers } = without;
  const services = [
    { ...without, name: 'off' },
    { ...(await start('twin', false)), headers, name: 'twin' },
    { ...(await start('on', true)), headers, name: 'on' },
  ];
  const { headers: other } = await signUp(without.port, 'other@example.com');
  // None of those that are compared has it in memory.
  const maker = await start('maker', false);
  const real = await realThread({ ...maker, headers });
  await maker.stop();
  await control.query('vacuum analyze');
  for (const question of [...real, ...QUESTIONS.filter(({ what }) => ASKED.has(what)), turn()])
    console.log(await compare(question, services, other));
} finally {
  await control.end();
  for (const service of started) await service.end();
  await model.child.end();
  await server.close();
}

/** The name is that of its connections, too. */
async function start(name: string, rowLevelSecurity: boolean): Promise<RunningService> {
  const databaseUrl = `${server.url}?application_name=${name}`;
  const service = await startService(model.port, { databaseUrl, rowLevelSecurity });
  started.push(service);
  return service;
}

/** A thread with runs as they are: checkpoints, traces and frames of each. */
async function realThread(service: RunningService): Promise<Question[]> {
  const { thread_id: id } = await post(service, '/api/graph/threads', {});
  let runId: unknown;
  for (let n = 0; n < TURNS; n += 1) {
    const content = `turn=${n} look into ${longThreadFile(n)}`;
    const input = { messages: [{ role: 'user', content }] };
    const run = await post(service, `/api/graph/threads/${id}/runs`, { assistant_id: 'lead_agent', input });
    runId = run.run_id;
    await (await fetch(...requestOf(service, `/api/graph/threads/${id}/runs/${runId}/join`))).text();
  }
  const thread = `/api/threads/${id}`;
  const graph = `/api/graph/threads/${id}`;
  const of = (what: string, path: string, body?: object): Question => {
    return { kind: 'events', what, ask: () => (body === undefined ? [path] : [path, body]) };
  };
  return [
    of('a thread', `/api/threads/${LONGEST.threadId}`),
    of(`a thread, ${IN_TURNS}`, `/api/threads/${LONGEST.threadId}`),
    of('state of a thread', `${graph}/state`),
    of('history of a thread', `${graph}/history`, { limit: 10 }),
    of('events of a run with traces', `${thread}/runs/${runId}/events?limit=200`),
    of('frames of an ended run', `${graph}/runs/${runId}/stream`),
    of('a page of 50 messages', `/api/threads/${LONGEST.threadId}/messages/page`),
  ];
}

function turn(): Question {
  const input = { messages: [{ role: 'user', content: 'hello' }] };
  const ask = () => ['/api/graph/runs/wait', { assistant_id: 'lead_agent', input }] as const;
  return { kind: 'events', what: 'a run, to its end', ask };
}

async function compare(
  question: Question,
  services: readonly Asked[],
  other: Asked['headers'],
): Promise<string> {
  const rounds = question.what.startsWith('a run,') ? ROUNDS / 4 : ROUNDS;
  const costs = new Map(services.map(({ name }) => [name, [] as Cost[]]));
  for (let n = 0; n < WARM_UP + rounds; n += 1) {
    const first = n % services.length;
    for (const service of [...services.slice(first), ...services.slice(0, first)]) {
      if (question.what.endsWith(IN_TURNS)) await askedBy(other, service);
      const cost = await costOf(service, question, n);
      if (n >= WARM_UP) costs.get(service.name)?.push(cost);
    }
  }
  const figures = KINDS.map((kind) => {
    const half = (all: readonly Cost[]) => quantile([...all.map((cost) => cost[kind])], 0.5);
    const [off = 0, ...others] = [...costs.values()].map(half);
    const shares = others.map((it) => `${(((it - off) / off) * 100).toFixed(1)} %`.padStart(8));
    return `${kind} ${off.toFixed(2)} ms ${shares.join(' ')}`;
  });
  return `${question.what.padEnd(28)} ${figures.join('   ')}`;
}

async function costOf(service: Asked, question: Question, n: number): Promise<Cost> {
  const connections = await connectionsOf(service.name);
  const cpu = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + cpuMicroseconds(pid), 0) / 1_000;
  const [path, body] = question.ask(n, SIZE);
  const before = { service: cpu([service.pid]), database: cpu(connections) };
  const begun = performance.now();
  const answer = await fetch(...requestOf(service, path, body));
  const text = await answer.text();
  const wall = performance.now() - begun;
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  const used = {
    service: cpu([service.pid]) - before.service,
    database: cpu(connections) - before.database,
  };
  return { ...used, wall, cpu: used.service + used.database };
}

async function askedBy(headers: Asked['headers'], service: Asked): Promise<void> {
  await (await fetch(...requestOf({ ...service, headers }, '/api/v1/auth/me'))).text();
}

function requestOf({ port, headers }: Service, path: string, body?: object): [string, RequestInit] {
  const init = {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  return [`http://127.0.0.1:${port}${path}`, init];
}

async function connectionsOf(name: string): Promise<readonly number[]> {
  const query = 'select pid from pg_stat_activity where application_name = $1';
  return (await control.query<{ pid: number }>(query, [name])).rows.map(({ pid }) => pid);
}

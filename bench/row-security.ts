// What row-level security on Postgres adds to a request: `node bench/row-security.ts`. Two services on one database, one
// with it and one without, answer the same requests in turns.
import { randomBytes } from 'node:crypto';
import { openTestPostgres } from '../test/support/postgres.ts';
import { startServer } from './child.ts';
import { fillRecord, LONGEST } from './fill-record.ts';
import { QUESTIONS, type Question } from './record-questions.ts';
import { type RunningService, startService } from './service.ts';

const SIZE = { threads: 2_000, events: 20_000 };
const ROUNDS = 300;
const WARM_UP = 20;
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

const thread: Question = {
  kind: 'listing',
  what: 'a thread',
  ask: () => [`/api/threads/${LONGEST.threadId}`],
};
const page: Question = {
  kind: 'events',
  what: 'a page of 50 messages',
  ask: () => [`/api/threads/${LONGEST.threadId}/messages/page`],
};
const turn: Question = {
  kind: 'listing',
  what: 'a run, to its end',
  ask: () => [
    '/api/graph/runs/wait',
    { assistant_id: 'lead_agent', input: { messages: [{ role: 'user', content: 'hello' }] } },
  ],
};

// Both take the same session.
process.env.AUTH_JWT_SECRET = randomBytes(32).toString('hex');
const server = await openTestPostgres();
const model = await startServer('model-server.ts');
const started: RunningService[] = [];
try {
  const options = { databaseUrl: server.url } as const;
  const without = await startService(model.port, { ...options, rowLevelSecurity: false });
  started.push(without);
  await fillRecord({ ...SIZE, url: server.url, userId: without.userId, log: () => {} });
  const walled = await startService(model.port, { ...options, rowLevelSecurity: true });
  started.push(walled);
  const { port } = walled;
  for (const question of [thread, ...QUESTIONS.filter(({ what }) => ASKED.has(what)), page, turn])
    console.log(await compare(question, [without, { ...without, port }]));
} finally {
  for (const service of started) await service.end();
  await model.child.end();
  await server.close();
}

async function compare(
  question: Question,
  services: readonly [RunningService, RunningService],
): Promise<string> {
  const rounds = question === turn ? ROUNDS / 4 : ROUNDS;
  const times: [number[], number[]] = [[], []];
  for (let n = 0; n < WARM_UP + rounds; n += 1) {
    const order = n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
    for (const place of order) {
      const time = await timed(services[place], question, n);
      if (n >= WARM_UP) times[place].push(time);
    }
  }
  // The quick ones are those that nothing else on the machine came between.
  const figures = ([0.1, 0.5] as const).map((share) => {
    const [off, on] = [at(times[0], share), at(times[1], share)];
    return `${off.toFixed(2)} ms, with it ${on.toFixed(2)} ms: ${(((on - off) / off) * 100).toFixed(1)} %`;
  });
  return `${question.what.padEnd(30)} a tenth: ${figures[0]}   half: ${figures[1]}`;
}

async function timed({ port, headers }: RunningService, question: Question, n: number): Promise<number> {
  const [path, body] = question.ask(n, SIZE);
  const begun = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return performance.now() - begun;
}

function at(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
}

// The load: clients that stream one run after another, by turns on the threads that each has, and count what arrives.
import { Agent, type IncomingMessage, request } from 'node:http';
import { argv, exit } from 'node:process';
import { tellParent } from './child.ts';
import type { Padding } from './scripted-answers.ts';

/** What the parent asks for, as JSON in the first argument. */
export interface LoadOrder {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Before `/threads`. */
  readonly prefix: string;
  /** Threads are created through the API first; the pass-through has none. */
  readonly createsThreads: boolean;
  readonly clients: number;
  /** Of all clients together; each has one at least. Many, so that no prompt becomes long. */
  readonly threads: number;
  readonly tokens: number;
  readonly padding: Padding;
  /** No run begins later than this; those under way are waited for. */
  readonly milliseconds: number;
  /** No run begins after so many; absent: there is no such limit. */
  readonly runs?: number;
}

export interface LoadResult {
  readonly runs: number;
  readonly seconds: number;
  /** Milliseconds of every run. */
  readonly firstToken: readonly number[];
  readonly total: readonly number[];
}

const MARK = 'event: messages\n';

const order: LoadOrder = JSON.parse(argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true, maxSockets: order.clients });

/** Of each client. */
const threads: string[][] = Array.from({ length: order.clients }, () => []);
for (let round = 0; round < Math.max(1, order.threads / order.clients); round++)
  for (const own of threads) own.push(await newThread());
tellParent({ ready: true });
process.once('message', () => {
  drive().then(
    (result) => process.send?.(result, () => exit(0)),
    (error: unknown) => {
      console.error(error);
      exit(1);
    },
  );
});

async function newThread(): Promise<string> {
  if (!order.createsThreads) return crypto.randomUUID();
  const answer = await post(`${order.prefix}/threads`, { metadata: {} });
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  if (answer.statusCode !== 200) throw new Error(`No thread: ${answer.statusCode} ${text}`);
  return JSON.parse(text).thread_id;
}

async function drive(): Promise<LoadResult> {
  const firstToken: number[] = [];
  const total: number[] = [];
  const start = performance.now();
  const { milliseconds, runs = Number.POSITIVE_INFINITY } = order;
  let begun = 0;
  await Promise.all(
    threads.map(async (own) => {
      for (let turn = 0; turn === 0 || (begun < runs && performance.now() - start < milliseconds); turn++) {
        begun++;
        const run = await oneRun(own[turn % own.length] ?? '');
        firstToken.push(run.firstToken);
        total.push(run.total);
      }
    }),
  );
  return { runs: total.length, seconds: (performance.now() - start) / 1_000, firstToken, total };
}

async function oneRun(thread: string): Promise<{ readonly firstToken: number; readonly total: number }> {
  const start = performance.now();
  const answer = await post(`${order.prefix}/threads/${thread}/runs/stream`, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: `Please write: ${order.padding}=${order.tokens}` }] },
    stream_mode: ['messages-tuple'],
  });
  if (answer.statusCode !== 200) throw new Error(`A run was refused: ${answer.statusCode}`);
  const { messages, firstToken } = await countMessages(answer);
  const enough = order.padding === 'plain' ? messages > 0 : messages >= order.tokens;
  if (!enough) throw new Error(`A run showed ${messages} of ${order.tokens} tokens.`);
  return { firstToken: firstToken - start, total: performance.now() - start };
}

/** Counts the `messages` frames of a stream up to its end. */
function countMessages(
  answer: IncomingMessage,
): Promise<{ readonly messages: number; readonly firstToken: number }> {
  let messages = 0;
  let firstToken = 0;
  let carried = '';
  return new Promise((resolve, reject) => {
    answer.setEncoding('latin1');
    answer.on('data', (piece: string) => {
      const text = carried + piece;
      let end = 0;
      for (let at = text.indexOf(MARK); at >= 0; at = text.indexOf(MARK, end)) {
        if (messages === 0) firstToken = performance.now();
        messages++;
        end = at + MARK.length;
      }
      carried = text.slice(Math.max(end, text.length - MARK.length + 1));
    });
    answer.on('end', () => resolve({ messages, firstToken }));
    answer.on('error', reject);
    answer.on('aborted', () => reject(new Error('A stream broke off.')));
  });
}

function post(path: string, body: object): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        host: '127.0.0.1',
        port: order.port,
        method: 'POST',
        path,
        headers: {
          ...order.headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        },
      },
      resolve,
    );
    call.on('error', reject);
    call.end(text);
  });
}

// Reads many streams concurrently, and reports how long after the model sent it each token arrived.
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { argv, exit } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellParent } from './child.ts';
import { monotonicMicroseconds } from './monotonic-clock.ts';

/** What the parent asks for, as JSON in the first argument. */
export interface PacedOrder {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly prefix: string;
  /** Threads are created through the API first; the pass-through has none. */
  readonly createsThreads: boolean;
  readonly streams: number;
  readonly tokens: number;
  /** Over this time the streams begin, one after another. */
  readonly rampMs: number;
  readonly steadyMs: number;
}

export interface PacedResult {
  /** Streams that were open at the end. */
  readonly open: number;
  readonly seconds: number;
  /** Milliseconds from the model's sending of a token to its arrival here, in order of size. */
  readonly delays: Float64Array;
}

const order: PacedOrder = JSON.parse(argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true });
const delays: number[] = [];
let isSteady = false;
let open = 0;

const threads: string[] = [];
for (let index = 0; index < order.streams; index++) threads.push(await newThread());
tellParent({ ready: true });
process.once('message', () => {
  drive().catch((error: unknown) => {
    console.error(error);
    exit(1);
  });
});

/** Reports to the parent when the steady time begins, and then the result. */
async function drive(): Promise<void> {
  const begun = performance.now();
  await Promise.all(
    threads.map(async (thread, index) => {
      await sleep((order.rampMs * index) / threads.length);
      listen(await stream(thread));
    }),
  );
  await sleep(Math.max(0, begun + order.rampMs - performance.now()) + 1_000);
  isSteady = true;
  const start = performance.now();
  tellParent({ steady: true });
  await sleep(order.steadyMs);
  isSteady = false;
  const seconds = (performance.now() - start) / 1_000;
  tellParent({ open, seconds, delays: Float64Array.from(delays).sort() });
}

function listen(answer: IncomingMessage): void {
  open++;
  let carried = '';
  answer.setEncoding('latin1');
  answer.on('data', (piece: string) => {
    const now = monotonicMicroseconds();
    carried = readTokens(carried + piece, (sentAt) => {
      if (isSteady) delays.push((now - sentAt) / 1_000);
    });
  });
  answer.on('close', () => open--);
  answer.on('error', () => undefined);
}

const MARK = 'data: [{"content":"';
const LONGEST_TOKEN = 20;

/** The times in the tokens of the text; what is left may be the beginning of one more. */
function readTokens(text: string, onToken: (sentAt: number) => void): string {
  let at = text.indexOf(MARK);
  let end = 0;
  while (at >= 0 && at + MARK.length + LONGEST_TOKEN <= text.length) {
    end = at + MARK.length;
    const sentAt = Number.parseInt(text.slice(end, end + LONGEST_TOKEN), 10);
    if (!Number.isNaN(sentAt)) onToken(sentAt);
    at = text.indexOf(MARK, end);
  }
  return text.slice(at >= 0 ? at : Math.max(end, text.length - MARK.length));
}

async function newThread(): Promise<string> {
  if (!order.createsThreads) return crypto.randomUUID();
  const answer = await post('/threads', { metadata: {} });
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  return JSON.parse(text).thread_id;
}

function stream(thread: string): Promise<IncomingMessage> {
  return post(`/threads/${thread}/runs/stream`, {
    assistant_id: 'lead_agent',
    input: { messages: [{ role: 'user', content: `Please write: paced=${order.tokens}` }] },
    stream_mode: ['messages-tuple'],
  });
}

function post(path: string, body: object): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  const options: RequestOptions = {
    agent,
    host: '127.0.0.1',
    port: order.port,
    method: 'POST',
    path: `${order.prefix}${path}`,
    headers: {
      ...order.headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    },
  };
  return new Promise((resolve, reject) => {
    const call = request(options, (answer) => {
      if (answer.statusCode === 200) resolve(answer);
      else reject(new Error(`${path} was answered with ${answer.statusCode}.`));
    });
    call.on('error', reject);
    call.end(text);
  });
}

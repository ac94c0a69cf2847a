// Opens many readers of silent runs and keeps them open.
import { Agent, type IncomingMessage, request } from 'node:http';
import { argv } from 'node:process';
import { tellParent } from './child.ts';

/** What the parent asks for, as JSON in the first argument. */
export interface IdleOrder {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly prefix: string;
  readonly streams: number;
  /** The readers are shared out among so many runs. */
  readonly runs: number;
}

const AT_ONCE = 50;

const order: IdleOrder = JSON.parse(argv[2] ?? '{}');
const agent = new Agent({ keepAlive: true });

const paths: string[] = [];
for (let index = 0; index < order.runs; index++) paths.push(await silentRun());
tellParent({ ready: true });
process.once('message', () => {
  openAll().then(
    () => tellParent({ open: order.streams }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function openAll(): Promise<void> {
  let next = 0;
  const opener = async (): Promise<void> => {
    while (next < order.streams) await openStream(paths[next++ % paths.length] ?? '');
  };
  await Promise.all(Array.from({ length: AT_ONCE }, opener));
}

/** Resolves with the first bytes: what the run had said before. */
async function openStream(path: string): Promise<void> {
  const answer = await call('GET', `${path}/stream?stream_mode=messages-tuple`);
  await new Promise((resolve) => answer.once('data', resolve));
  answer.resume();
  answer.on('close', () => {
    throw new Error('An idle stream was closed.');
  });
}

/** A run whose model does not answer; its path. */
async function silentRun(): Promise<string> {
  const { thread_id } = await json(await call('POST', '/threads', {}));
  const { run_id } = await json(
    await call('POST', `/threads/${thread_id}/runs`, {
      assistant_id: 'lead_agent',
      input: { messages: [{ role: 'user', content: 'Say nothing.' }] },
    }),
  );
  return `/threads/${thread_id}/runs/${run_id}`;
}

async function json(answer: IncomingMessage): Promise<Record<string, string>> {
  let text = '';
  for await (const piece of answer.setEncoding('utf8')) text += piece;
  return JSON.parse(text);
}

function call(method: string, path: string, body?: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port, headers, prefix } = order;
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port,
        method,
        path: `${prefix}${path}`,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      },
      (answer) => {
        if (answer.statusCode === 200) resolve(answer);
        else reject(new Error(`${path} was answered with ${answer.statusCode}.`));
      },
    );
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

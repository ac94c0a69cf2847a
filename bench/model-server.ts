// A model server that speaks the OpenAI protocol: answers of a wanted number of chunks, without delay.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { tellParent } from './child.ts';
import { type Answer, calledAnswer, longThreadAnswer, textAnswer } from './scripted-answers.ts';

/** Answers are the same bytes again and again: made once, whatever the bench asks for. */
const answers = new Map<string, Answer>();

const server = createServer((request, response) => {
  reply(request, response).catch(() => response.destroy());
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port });
});

/** Of the last request to the model; returned to GET requests. */
let lastBytes = 0;

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  if (request.method === 'GET') {
    response.end(JSON.stringify({ bytes: lastBytes }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const body = Buffer.concat(pieces);
  lastBytes = body.length;
  const says = (mark: string) => body.includes(mark, Math.max(0, body.lastIndexOf('"role":"user"')));
  // `silent` in the question: all tokens, but no end. `slow`: every event is a packet of its own, a millisecond apart.
  const isSilent = says('silent');
  const chunks = isSilent ? answerTo(body).slice(0, -1) : answerTo(body);
  await (says('slow')
    ? write(response, chunks.flatMap(eventsOf), () => sleep(1))
    : write(response, chunks, soon));
  if (!isSilent) response.end();
}

async function write(
  response: ServerResponse,
  chunks: readonly (Buffer | string)[],
  pause: () => Promise<unknown>,
): Promise<void> {
  for (const chunk of chunks) {
    if (!response.write(chunk)) await once(response, 'drain');
    // Every few events are a packet of their own, as they are from a model that writes them one by one.
    await pause();
  }
}

function soon(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function eventsOf(chunk: Buffer): readonly string[] {
  return chunk.toString().match(/.*\n\n/g) ?? [];
}

/**
 * `padded=<n>` or `plain=<n>` in the last question asks for a text; `turn=<k>` for a turn of the long thread; `call=<tool>`
 * for a call of that tool, and for a text when it has answered.
 */
function answerTo(body: Buffer): Answer {
  const question = body.lastIndexOf('"role":"user"');
  for (const padding of ['padded', 'plain'] as const) {
    const tokens = wanted(body, `${padding}=`, question);
    if (tokens !== undefined) return remembered(`${padding} ${tokens}`, () => textAnswer(tokens, padding));
  }
  const turn = wanted(body, 'turn=', question) ?? 0;
  const called = body.lastIndexOf('"role":"tool"') > question;
  const tool = /call=(\w{1,64})/.exec(body.toString('latin1', Math.max(0, question)))?.[1];
  if (tool !== undefined) return calledAnswer(tool, called);
  return longThreadAnswer(turn, called);
}

function wanted(body: Buffer, mark: string, after: number): number | undefined {
  const at = body.indexOf(mark, Math.max(0, after));
  if (at < 0) return undefined;
  return Number.parseInt(body.toString('latin1', at + mark.length, at + mark.length + 8), 10);
}

function remembered(key: string, make: () => Answer): Answer {
  const known = answers.get(key);
  if (known !== undefined) return known;
  const made = make();
  answers.set(key, made);
  return made;
}

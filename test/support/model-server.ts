// A real HTTP server that speaks the streamed chat-completions protocol, as scripted, and misbehaves on demand.
//
//   const server = await startModelServer();
//   server.enqueue(answer.text('hello world'), answer.rateLimited('1'), answer.hangMidStream('hel'));
//   server.onRequest((request) => answer.text(`you said ${request.lastUserText}`));   // when the queue is empty
//   ... point a model of provider `openai-compatible` at server.url ...
//   await server.requested(2);  server.requests[1]?.body;  await server.requests[1]?.ended;
//   await server.close();
//
// Replies come from `model-server/answer.ts`; timing comes from gates, never from sleeps:
// const gate = Promise.withResolvers<void>(); answer.script(step.text('a'), step.until(gate.promise), step.text('b')).
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer } from './model-server/answer.ts';
import { bytesOf, type Step } from './model-server/step.ts';

interface RecordedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The parsed JSON body; an empty object for any other body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `content` of the last message with role `user` if it is a string, otherwise empty. */
  readonly lastUserText: string;
  /** Settles when this request got its response or its connection closed. */
  readonly ended: Promise<'answered' | 'client_left'>;
}

type Responder = (request: RecordedRequest) => Answer | Promise<Answer>;

export interface ModelServer {
  /** Base address for the provider: `http://127.0.0.1:<port>/v1`. */
  readonly url: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Adds replies for the next requests, one each. */
  enqueue(...answers: readonly Answer[]): void;
  /** Sets the reply for an empty queue. Without it such a request gets a 500 that says so. */
  onRequest(respond: Responder): void;
  /** Waits until this many requests have arrived. */
  requested(count: number): Promise<void>;
  /** Clears queue, responder and requests. */
  reset(): void;
  close(): Promise<void>;
}

const NOTHING_SCRIPTED: Answer = {
  kind: 'status',
  status: 500,
  body: 'No answer was scripted for this request.',
};

export async function startModelServer({ port = 0, host = '127.0.0.1' } = {}): Promise<ModelServer> {
  const queue: Answer[] = [];
  const requests: RecordedRequest[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  let respond: Responder = () => NOTHING_SCRIPTED;

  const answerRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await record(incoming, response);
    requests.push(request);
    for (const it of waiting) if (it.count <= requests.length) it.resolve();
    await send(queue.shift() ?? (await respond(request)), request, response);
  };
  const server = createServer((incoming, response) => {
    // Many tests are about clients that leave while their reply is being written.
    answerRequest(incoming, response).catch(() => response.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host}:${address.port}/v1`,
    requests,
    enqueue: (...answers) => void queue.push(...answers),
    onRequest: (next) => {
      respond = next;
    },
    requested: (count) => {
      if (requests.length >= count) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ count, resolve });
      return promise;
    },
    reset: () => {
      queue.length = 0;
      requests.length = 0;
      respond = () => NOTHING_SCRIPTED;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function record(incoming: IncomingMessage, response: ServerResponse): Promise<RecordedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const ended = Promise.withResolvers<'answered' | 'client_left'>();
  response.once('close', () => ended.resolve(response.writableFinished ? 'answered' : 'client_left'));
  const body = parse(Buffer.concat(chunks).toString('utf8'));
  return {
    path: incoming.url ?? '',
    headers: incoming.headers,
    body,
    lastUserText: lastUserText(body),
    ended: ended.promise,
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function lastUserText(body: Readonly<Record<string, unknown>>): string {
  const messages = Array.isArray(body.messages) ? (body.messages as Record<string, unknown>[]) : [];
  const content = messages.findLast((message) => message.role === 'user')?.content;
  return typeof content === 'string' ? content : '';
}

async function send(it: Answer, request: RecordedRequest, response: ServerResponse): Promise<void> {
  switch (it.kind) {
    case 'silence':
      return;
    case 'refusal':
      response.socket?.resetAndDestroy();
      return;
    case 'status': {
      const isText = typeof it.body === 'string';
      response.writeHead(it.status, {
        'content-type': isText ? 'text/plain' : 'application/json',
        ...it.headers,
      });
      response.end(isText ? it.body : JSON.stringify(it.body));
      return;
    }
    case 'stream':
      response.writeHead(200, { 'content-type': 'text/event-stream', ...it.headers });
      response.flushHeaders();
      await sendSteps(it.steps, String(request.body.model ?? 'test'), response);
  }
}

async function sendSteps(steps: readonly Step[], model: string, response: ServerResponse): Promise<void> {
  const id = `chatcmpl-${randomUUID()}`;
  for (const step of steps) {
    if (response.destroyed) return;
    const bytes = bytesOf(step, model, id);
    if (bytes === undefined) await waitFor(step);
    else if (!response.write(bytes)) await once(response, 'drain');
    if (isLast(step, response)) return;
  }
  response.end();
}

async function waitFor(step: Step): Promise<void> {
  if (step.do === 'until') await step.gate;
  if (step.do === 'pause') await pause(step.ms);
}

function isLast(step: Step, response: ServerResponse): boolean {
  if (step.do === 'reset') response.socket?.resetAndDestroy();
  if (step.do === 'cut') response.socket?.destroySoon();
  return step.do === 'reset' || step.do === 'cut' || step.do === 'hang';
}

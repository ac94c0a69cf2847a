// A model server that paces its tokens: each stream gets one every so often, and the token is the time of its sending.
// The argument `tls` makes it speak TLS, `anthropic` Anthropic's protocol.
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { argv } from 'node:process';
import { SELF_SIGNED } from '../test/support/certificate.ts';
import { tellParent } from './child.ts';
import { monotonicMicroseconds } from './monotonic-clock.ts';
import { anthropicAnswer, pacedAnswer } from './scripted-answers.ts';

const TOKENS_PER_SECOND = 30;
const PERIOD_US = 1_000_000 / TOKENS_PER_SECOND;
/** A provider sends the first token with the beginning of the reply, or right after it. */
const PROMPT_US = 2_000;

interface Stream {
  readonly response: ServerResponse;
  dueAt: number;
  left: number;
}

/** In the order in which their next tokens are due: all have the same period. */
let queue: Stream[] = [];

const listener: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => begin(body, response));
};
const script = argv[2] === 'anthropic' ? anthropicAnswer : pacedAnswer;
const server = argv[2] === 'tls' ? createTlsServer(SELF_SIGNED, listener) : createServer(listener);
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port });
});
setInterval(sendDue, 1);

/**
 * `paced=<n>` in the question asks for `n` tokens, and `promptly` for the first one without a period before it; a
 * question without `paced` gets no answer at all.
 */
function begin(body: string, response: ServerResponse): void {
  const question = body.slice(body.lastIndexOf('"role":"user"'));
  const wanted = /paced=(\d+)/.exec(question)?.[1];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(script.beginning);
  if (wanted === undefined) return;
  const now = monotonicMicroseconds();
  if (question.includes('promptly'))
    queue.unshift({ response, dueAt: now + PROMPT_US, left: Number(wanted) });
  else queue.push({ response, dueAt: now + PERIOD_US, left: Number(wanted) });
}

function sendDue(): void {
  const now = monotonicMicroseconds();
  const later = queue.findIndex(({ dueAt }) => dueAt > now);
  const due = later === -1 ? queue : queue.slice(0, later);
  queue = later === -1 ? [] : queue.slice(later);
  for (const stream of due) {
    if (stream.response.destroyed) continue;
    stream.left--;
    if (stream.left === 0) {
      stream.response.end(script.ending);
      continue;
    }
    stream.response.write(script.token(monotonicMicroseconds()), 'latin1');
    // A token that was late does not wait for the next to be late too.
    stream.dueAt = Math.max(stream.dueAt + PERIOD_US, now);
    queue.push(stream);
  }
}

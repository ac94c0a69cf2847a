// A model server that paces its tokens: each stream gets one every so often, and the token is the time of its sending.
import { createServer, type ServerResponse } from 'node:http';
import { tellParent } from './child.ts';
import { monotonicMicroseconds } from './monotonic-clock.ts';
import { pacedEnding, pacedRole, pacedToken } from './scripted-answers.ts';

const TOKENS_PER_SECOND = 30;
const PERIOD_US = 1_000_000 / TOKENS_PER_SECOND;

interface Stream {
  readonly response: ServerResponse;
  dueAt: number;
  left: number;
}

/** In the order in which their next tokens are due: all have the same period. */
let queue: Stream[] = [];

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (piece: string) => {
    body += piece;
  });
  request.on('end', () => begin(body, response));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port });
});
setInterval(sendDue, 1);

/** `paced=<n>` in the question asks for `n` tokens; a question without it gets no answer at all. */
function begin(body: string, response: ServerResponse): void {
  const wanted = /paced=(\d+)/.exec(body.slice(body.lastIndexOf('"role":"user"')))?.[1];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(pacedRole);
  if (wanted === undefined) return;
  queue.push({ response, dueAt: monotonicMicroseconds() + PERIOD_US, left: Number(wanted) });
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
      stream.response.end(pacedEnding);
      continue;
    }
    stream.response.write(pacedToken(monotonicMicroseconds()), 'latin1');
    // A token that was late does not wait for the next to be late too.
    stream.dueAt = Math.max(stream.dueAt + PERIOD_US, now);
    queue.push(stream);
  }
}

// A model server that begins every response and then pauses until it may continue; it counts requests.
import { createServer, type ServerResponse } from 'node:http';
import { tellParent } from './child.ts';
import { pacedAnswer } from './scripted-answers.ts';

/** The message of the parent: from now on responses have this many tokens, or are held again. Counting restarts. */
export interface HeldModelOrder {
  readonly tokens: number | undefined;
}

/** The report to the parent after each second with requests in it. */
export interface HeldModelCounts {
  readonly asked: number;
  readonly open: number;
  readonly mostOpen: number;
  /** Requests in the busiest second. */
  readonly mostInASecond: number;
}

const TOKENS_PER_SECOND = 10;

let tokens: number | undefined;
let open = 0;
let mostOpen = 0;
let arrivals: number[] = [];

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => begin(response));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port });
});
process.on('message', (order: HeldModelOrder | 'count') => {
  if (order === 'count') {
    tellParent(counts());
    return;
  }
  tokens = order.tokens;
  mostOpen = open;
  arrivals = [];
});

function begin(response: ServerResponse): void {
  arrivals.push(performance.now());
  open++;
  mostOpen = Math.max(mostOpen, open);
  response.on('close', () => {
    open--;
  });
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(pacedAnswer.beginning);
  if (tokens !== undefined) say(response, tokens);
}

function say(response: ServerResponse, left: number): void {
  if (response.destroyed) return;
  if (left === 0) {
    response.end(pacedAnswer.ending);
    return;
  }
  response.write(pacedAnswer.token(Math.round(performance.now() * 1_000)));
  setTimeout(() => say(response, left - 1), 1_000 / TOKENS_PER_SECOND);
}

function counts(): HeldModelCounts {
  let first = 0;
  let mostInASecond = 0;
  for (const [index, at] of arrivals.entries()) {
    while (at - (arrivals[first] ?? at) > 1_000) first++;
    mostInASecond = Math.max(mostInASecond, index - first + 1);
  }
  return { asked: arrivals.length, open, mostOpen, mostInASecond };
}

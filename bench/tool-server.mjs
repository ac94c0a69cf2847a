// Tool servers for the bench: many over HTTP in one process, one that never answers, and with `stdio` one over its pipes. Plain
// JavaScript, as any Node on the machine may run it.
import { createServer } from 'node:http';
import process, { argv, stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';

const TOOLS = 10;

if (argv[2] === 'stdio') overPipes();
else overHttp();

function overPipes() {
  createInterface(stdin).on('line', (line) => {
    const answer = answerTo(JSON.parse(line));
    if (answer !== undefined) stdout.write(`${JSON.stringify(answer)}\n`);
  });
}

/** `/<n>` is a server of its own; `/silent` takes requests and says nothing. */
function overHttp() {
  const server = createServer((request, response) => {
    const pieces = [];
    request.on('data', (piece) => pieces.push(piece));
    request.on('end', () => {
      if (request.url === '/silent') return;
      if (request.method !== 'POST') response.writeHead(405).end();
      else send(response, answerTo(JSON.parse(Buffer.concat(pieces).toString())));
    });
  });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (typeof address === 'object' && address !== null) process.send({ port: address.port });
  });
}

function send(response, answer) {
  if (answer === undefined) response.writeHead(202).end();
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
}

/** `undefined` for a notification. */
function answerTo({ id, method, params }) {
  if (id === undefined) return undefined;
  const result = resultOf(method, params?.protocolVersion);
  if (result === undefined)
    return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
  return { jsonrpc: '2.0', id, result };
}

function resultOf(method, protocolVersion) {
  if (method === 'initialize')
    return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'bench', version: '1' } };
  if (method === 'tools/list') return { tools: Array.from({ length: TOOLS }, (_, index) => tool(index)) };
  if (method === 'tools/call') return { content: [{ type: 'text', text: 'done' }] };
  return method === 'ping' ? {} : undefined;
}

/** As long as tools of the field are. */
function tool(index) {
  return {
    name: `look_up_${index}`,
    description: `Looks up what is known about a subject in collection ${index}, newest entries first. Use it before you answer questions about that subject.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', description: 'Words to look for' },
        limit: { type: 'integer', description: 'Entries to answer, at most', minimum: 1, maximum: 100 },
        since: { type: 'string', description: 'Only entries after this day, as 2026-11-23' },
        kinds: { type: 'array', items: { type: 'string', enum: ['note', 'page', 'file'] } },
      },
      required: ['query'],
    },
  };
}

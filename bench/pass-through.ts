// The measure of all things: plain Node between client and model server, the same frames and nothing else.
import { randomUUID } from 'node:crypto';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { argv } from 'node:process';
import { tellParent } from './child.ts';

const MODEL_PORT = Number(argv[2]);

const agent = new Agent({ keepAlive: true, maxSockets: 1_024 });
const server = createServer((incoming, response) => {
  reply(incoming, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) tellParent({ port: address.port });
});

async function reply(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const { input } = JSON.parse(Buffer.concat(pieces).toString());
  const threadId = incoming.url?.split('/').find((it) => it.length === 36) ?? '';
  const runId = randomUUID();
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.write(
    `event: metadata\ndata: ${JSON.stringify({ run_id: runId, thread_id: threadId, attempt: 1 })}\nid: 1-0\n\n`,
  );
  const frames = createFrames(runId, threadId);
  const answered = await modelCall({ model: 'bench', stream: true, messages: input.messages });
  let rest = '';
  answered.setEncoding('utf8');
  for await (const text of answered) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      const frame = frames(event);
      if (frame !== undefined) response.write(frame);
    }
  }
  response.end(`event: end\ndata: {}\nid: end-0\n\n`);
}

function modelCall(body: object): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent,
        host: '127.0.0.1',
        port: MODEL_PORT,
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json' },
      },
      resolve,
    );
    call.on('error', reject);
    call.end(JSON.stringify(body));
  });
}

/** The frame of each event with text: byte for byte what the service sends for it. */
function createFrames(runId: string, threadId: string): (event: string) => string | undefined {
  const tail = `"additional_kwargs":{},"type":"AIMessageChunk","role":"assistant","name":null,"tool_calls":[],"invalid_tool_calls":[],"response_metadata":{},"usage_metadata":null,"tool_call_chunks":[],"id":"${randomUUID()}"},{"langgraph_node":"model","langgraph_checkpoint_ns":"","run_id":"${runId}","thread_id":"${threadId}","tags":[]}]`;
  let seq = 1;
  return (event) => {
    const data = event.slice('data: '.length);
    if (data === '[DONE]') return undefined;
    const text = JSON.parse(data).choices[0]?.delta.content;
    if (typeof text !== 'string' || text === '') return undefined;
    seq++;
    return `event: messages\ndata: [{"content":${JSON.stringify(text)},${tail}\nid: ${seq}-0\n\n`;
  };
}

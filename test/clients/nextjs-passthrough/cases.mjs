// The passthrough of Next.js applications: the SDK in the browser speaks to a route that adds the key. Its handlers are
// served here as they are, without an application around them.
import { createServer } from 'node:http';
import { registerHooks } from 'node:module';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from '@langchain/langgraph-sdk';
import { casesOf } from '../sdk-cases.mjs';

// Next.js resolves its own paths without an extension when it bundles.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'next/server' ? 'next/server.js' : specifier, context),
});
const { NextRequest } = await import('next/server.js');
const { initApiPassthrough } = await import('langgraph-nextjs-api-passthrough');

export const clients = async (server) => {
  const url = await serve(initApiPassthrough({ ...server, disableWarningLog: true }));
  // It hands on `Authorization` and what begins with `x-`.
  const cases = casesOf(new Client({ apiUrl: `${url}/api` }), { keepsLastEventId: false });
  return [{ client: 'langgraph-nextjs-api-passthrough', version: '0.1.4', cases }];
};

async function serve(handlers) {
  const server = createServer((incoming, outgoing) => {
    answer(handlers, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}`;
}

async function answer(handlers, incoming, outgoing) {
  const { method, url, headers } = incoming;
  const body = method === 'GET' ? undefined : Readable.toWeb(incoming);
  const request = new NextRequest(`http://${headers.host}${url}`, { method, headers, body, duplex: 'half' });
  const response = await handlers[method](request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
}

// A port that answers, and an end that waits for what is under way.
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';

export interface Listening {
  readonly url: string;
  /** Takes no new connections; resolves when the last answer is out, at the latest after ten seconds. */
  close(): Promise<void>;
}

type Address = { host: string; port: number };
type Fetch = Parameters<typeof getRequestListener>[0];

/** Rejects with a sentence when the port cannot be had. The URL is one that this machine can use. */
export async function listen(app: { fetch: Fetch }, { host, port }: Address): Promise<Listening> {
  // A request without Host is answered by us: Node says nothing but 400.
  const server = createServer({ requireHostHeader: false }, getRequestListener(app.fetch, { errorHandler }));
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(new Error(`Port ${port} of ${host} is not to be had: ${cause.code}.`, { cause }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return {
    url: localUrl({ host, port: typeof address === 'object' && address !== null ? address.port : port }),
    async close() {
      const impatience = setTimeout(() => server.closeAllConnections(), 10_000);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(impatience);
    },
  };
}

/** These requests did not reach the app. */
function errorHandler(cause: unknown): Response {
  const isHostless = cause instanceof Error && cause.message === 'Missing host header';
  const hint = 'The request has no Host header. A proxy in front of this app must pass it on.';
  return Response.json({ error: isHostless ? hint : 'The address of this request is not valid.' }, { status: 400 });
}

/** The address of a server with this bind address, as seen from this machine. */
export function localUrl({ host, port }: Address): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

// Responses written directly to a connection, for requests that skip the adaptor and perhaps the application.
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TargetReading } from './request-target.ts';

type Refusal = Extract<TargetReading, { readonly ok: false }>;

/** Returns the response to an ambiguous request. */
export function refusalResponse({ status, detail }: Refusal): Response {
  const headers = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
  return Response.json({ detail }, { status, headers });
}

/** Writes the whole response and ends the connection. */
export async function respondRaw(socket: Duplex, response: Response): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const headers = [...response.headers].filter(([name]) => name !== 'content-length');
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ''}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
}

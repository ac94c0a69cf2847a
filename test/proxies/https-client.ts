// A browser's side of a proxy: https under the public name, while the proxy listens on this machine with any certificate.
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { heldToContract } from '../support/answer-contract.ts';
import type { RequestTarget } from '../support/http-client.ts';

const PUBLIC_NAME = 'chat.example.com';
const PIECE_BYTES = 65_536;

interface Place {
  readonly port: number;
  /** The address of this machine that the client has; the proxy tells clients apart by it. */
  readonly localAddress?: string;
}

/** Whatever the name, it is this machine. */
const toThisMachine: LookupFunction = (_name, { all }, found) => {
  if (all === true) found(null, [{ address: '127.0.0.1', family: 4 }]);
  else found(null, '127.0.0.1', 4);
};

/** For `https` and `ws` alike. */
export function connectionTo({ localAddress = '127.0.0.1' }: Place) {
  return { localAddress, lookup: toThisMachine, rejectUnauthorized: false };
}

/** The address that people see; its port is neither 80 nor 443. */
export function publicOrigin({ port }: Place): string {
  return `https://${PUBLIC_NAME}:${port}`;
}

/** Requests as a browser sends them from the page itself: each tells its `Origin`. */
export function throughProxy(place: Place): RequestTarget {
  const origin = publicOrigin(place);
  return heldToContract({
    async request(path, init) {
      const bytes = init?.body instanceof Uint8Array ? init.body : undefined;
      const request = new Request(`${origin}${path}`, bytes === undefined ? init : { ...init, body: null });
      const body = bytes ?? new Uint8Array(await request.arrayBuffer());
      const length = body.length > 0 ? { 'content-length': String(body.length) } : {};
      const headers = { ...Object.fromEntries(request.headers), ...length, origin };
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      const sending = httpsRequest(
        `${origin}${path}`,
        { ...connectionTo(place), agent: false, method: request.method, headers },
        resolve,
      ).on('error', reject);
      Readable.from(piecesOf(body)).pipe(sending);
      return responseOf(await promise);
    },
  });
}

/** The service is in this process and must go on meanwhile: a large body is encrypted in pieces, and never copied. */
function* piecesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let from = 0; from < body.length; from += PIECE_BYTES) yield body.subarray(from, from + PIECE_BYTES);
}

function responseOf(answer: IncomingMessage): Response {
  const headers = new Headers();
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    headers.append(answer.rawHeaders[at] ?? '', answer.rawHeaders[at + 1] ?? '');
  }
  const status = answer.statusCode ?? 0;
  const hasBody = status !== 204 && status !== 304;
  return new Response(hasBody ? ReadableStream.from(Readable.from(answer)) : null, { status, headers });
}

// One HTTP request to addresses that were checked, and to no other: what is resolved is what is connected to.

import type { OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isOneOf, pinned, type ResolvedAddress } from './checked-host.ts';

interface PinnedRequest {
  readonly url: URL;
  /** What the host of the address was found to lead to. */
  readonly addresses: readonly ResolvedAddress[];
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  /** Ends the request, and the answer while it is read. */
  readonly signal: AbortSignal;
}

/** The connection went to an address that was not checked. */
export class WentElsewhereError extends Error {
  override readonly name = 'WentElsewhereError';
}

/** The answer, with its body unread; redirects are not followed. Rejects with what the network says. */
export async function pinnedRequest({
  url,
  addresses,
  method,
  headers,
  body,
  signal,
}: PinnedRequest): Promise<IncomingMessage> {
  const [agent, send] =
    url.protocol === 'https:'
      ? // Whatever the environment of the service says of certificates.
        [new HttpsAgent({ keepAlive: false, rejectUnauthorized: true }), httpsRequest]
      : [new HttpAgent({ keepAlive: false }), httpRequest];
  const answered = Promise.withResolvers<IncomingMessage>();
  const request = send(url, { agent, method, headers, lookup: pinned(addresses), signal });
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      if (!isOneOf(addresses, socket.remoteAddress)) request.destroy(new WentElsewhereError(url.hostname));
    });
  });
  request.once('response', answered.resolve);
  // Also behind the answer, where nobody else listens: what broke off is told by its body.
  request.on('error', answered.reject);
  request.end(body);
  return answered.promise;
}

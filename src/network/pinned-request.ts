// Sends one HTTP request to checked addresses only: it connects to the addresses that were resolved.

import type { OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isOneOf, pinned, type ResolvedAddress } from './checked-host.ts';

interface PinnedRequest {
  readonly url: URL;
  /** The checked addresses of the URL's host. */
  readonly addresses: readonly ResolvedAddress[];
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string;
  /** Ends the request, and the response while it is being read. */
  readonly signal: AbortSignal;
}

/** The connection went to an address that was not checked. */
export class WentElsewhereError extends Error {
  override readonly name = 'WentElsewhereError';
}

/** Returns the response with its body unread. Does not follow redirects. Rejects with the network error. */
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
      ? // Overrides any setting for certificates in the service's environment.
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
  // Stays attached after the response, when there is no other listener. The body reports a broken connection.
  request.on('error', answered.reject);
  request.end(body);
  return answered.promise;
}

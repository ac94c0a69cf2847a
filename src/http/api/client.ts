// The client of a request, as seen behind a reverse proxy.
import type { ClientAddresses } from '../../auth/client-ip.ts';
import type { AppContext } from './context.ts';

export interface Client {
  /** The address that the lockout counts. */
  readonly ip: string;
  /** Whether the request came over https, to this process or to a trusted proxy. */
  readonly isHttps: boolean;
  /** Whether the peer of the socket is a trusted proxy. */
  readonly isTrustedProxy: boolean;
}

/** Returns the address of the socket's peer. A test has no socket and provides the address itself. */
export type PeerAddress = (c: AppContext) => string | undefined;

export const socketPeerAddress: PeerAddress = (c) => c.env?.incoming?.socket.remoteAddress;

export function clientOf(c: AppContext, addresses: ClientAddresses, peer: string | undefined): Client {
  const isTrustedProxy = addresses.isTrustedProxy(peer);
  const proto = c.req.header('x-forwarded-proto')?.trim().toLowerCase();
  // Some proxies send the scheme of a WebSocket, `wss`.
  const isForwardedHttps = isTrustedProxy && (proto === 'https' || proto === 'wss');
  return {
    ip: addresses.clientIp(peer, c.req.header('x-real-ip')),
    isHttps: c.req.url.startsWith('https:') || isForwardedHttps,
    isTrustedProxy,
  };
}

// The client of a request, as seen behind a reverse proxy.
import type { ClientAddresses } from '../../auth/client-ip.ts';
import type { AppContext } from './context.ts';

export interface Clients {
  /** Returns the address that the lockout counts. */
  ip(c: AppContext): string;
  /** Whether the request came over https, to this process or to a trusted proxy. */
  isHttps(c: AppContext): boolean;
  /** Whether the peer of the socket is a trusted proxy. */
  isTrustedProxy(c: AppContext): boolean;
}

/** Returns the address of the socket's peer. A test has no socket and provides the address itself. */
export type PeerAddress = (c: AppContext) => string | undefined;

export const socketPeerAddress: PeerAddress = (c) => c.env?.incoming?.socket.remoteAddress;

export function createClients(addresses: ClientAddresses, peerAddress: PeerAddress): Clients {
  const isTrustedProxy = (c: AppContext) => addresses.isTrustedProxy(peerAddress(c));
  return {
    isTrustedProxy,
    ip: (c) => addresses.clientIp(peerAddress(c), c.req.header('x-real-ip')),
    isHttps(c) {
      if (c.req.url.startsWith('https:')) return true;
      const proto = c.req.header('x-forwarded-proto')?.trim().toLowerCase();
      // Some proxies send the scheme of a WebSocket, `wss`.
      return (proto === 'https' || proto === 'wss') && isTrustedProxy(c);
    },
  };
}

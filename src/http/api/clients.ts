// What is known about the client of a request behind a reverse proxy.
import type { ClientAddresses } from '../../auth/client-ip.ts';
import type { AppContext } from './context.ts';

export interface Clients {
  /** The address that the lockout counts. */
  ip(c: AppContext): string;
  /** Whether the request came by https, to this process or to a trusted proxy. */
  isHttps(c: AppContext): boolean;
  /** Whether the other end of the socket is a proxy that is believed. */
  isTrustedProxy(c: AppContext): boolean;
}

/** The address of the other end of the socket; a test has no socket and names it itself. */
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
      // Some proxies name the scheme of a socket as its own.
      return (proto === 'https' || proto === 'wss') && isTrustedProxy(c);
    },
  };
}

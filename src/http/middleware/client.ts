// Finds out who sent a request, as seen behind a reverse proxy.
import type { ClientAddresses } from '../../auth/client-ip.ts';
import type { AppContext, AppMiddleware } from '../api/context.ts';

/** Returns the address of the socket's peer. A test has no socket and provides the address itself. */
export type PeerAddress = (c: AppContext) => string | undefined;

export const socketPeerAddress: PeerAddress = (c) => c.env?.incoming?.socket.remoteAddress;

/** Sets `client`. */
export function client(addresses: ClientAddresses, peerAddress: PeerAddress): AppMiddleware {
  return async (c, next) => {
    const peer = peerAddress(c);
    const isTrustedProxy = addresses.isTrustedProxy(peer);
    const proto = c.req.header('x-forwarded-proto')?.trim().toLowerCase();
    // Some proxies send the scheme of a WebSocket, `wss`.
    const isForwardedHttps = isTrustedProxy && (proto === 'https' || proto === 'wss');
    c.set('client', {
      ip: addresses.clientIp(peer, c.req.header('x-real-ip')),
      isHttps: c.req.url.startsWith('https:') || isForwardedHttps,
      isTrustedProxy,
    });
    await next();
  };
}

// Provides the client of a request to later middleware and to the routes.
import type { ClientAddresses } from '../../auth/client-ip.ts';
import { clientOf, type PeerAddress } from '../api/client.ts';
import type { AppMiddleware } from '../api/context.ts';

/** Sets `client`. */
export function client(addresses: ClientAddresses, peerAddress: PeerAddress): AppMiddleware {
  return async (c, next) => {
    c.set('client', clientOf(c, addresses, peerAddress(c)));
    await next();
  };
}

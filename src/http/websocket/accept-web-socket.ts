// How a route accepts a WebSocket.
import type { WebSocket } from 'ws';
import { invalid } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';

/** Takes the upgrade that the client asks for. Throws `invalid` when it asks for none. */
export function acceptWebSocket(c: AppContext, serve: (socket: WebSocket) => void): Response {
  const offer = c.env?.upgrade;
  if (offer === undefined)
    throw invalid('This address speaks WebSocket. Connect to it with ws:// or wss://.');
  offer.accept(serve);
  return c.body(null, 200);
}

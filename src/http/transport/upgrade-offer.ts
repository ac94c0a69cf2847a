// What the server offers with a request for a WebSocket: the route takes it, or answers as usual.
import type { WebSocket } from 'ws';

export interface UpgradeOffer {
  /** `serve` gets the open socket once the handshake is done. */
  accept(serve: (socket: WebSocket) => void): void;
}

// Limits the open connections of each client address, so that none can take all of them.
import type { Server } from 'node:net';
import { addressGroup } from '../../auth/client-ip.ts';
import type { Log } from '../../log.ts';

interface ConnectionCapParts {
  readonly maxPerAddress: number;
  /** True for a trusted proxy, whose address is shared by all clients behind it. */
  readonly isTrustedProxy: (address: string | undefined) => boolean;
  readonly log: Log;
}

/** Minimum time between two log lines about refused connections. */
const LOG_EVERY_MS = 10_000;

/** Closes every connection beyond the cap as soon as it opens. An IPv6 client counts as its whole /64. */
export function capConnections(
  server: Server,
  { maxPerAddress, isTrustedProxy, log }: ConnectionCapParts,
): void {
  const open = new Map<string, number>();
  const report = reporter(log);
  server.on('connection', (socket) => {
    const { remoteAddress } = socket;
    if (isTrustedProxy(remoteAddress)) return;
    const address = addressGroup(remoteAddress ?? '');
    const count = open.get(address) ?? 0;
    if (count >= maxPerAddress) {
      report(address);
      socket.resetAndDestroy();
      return;
    }
    open.set(address, count + 1);
    socket.once('close', () => {
      const left = (open.get(address) ?? 1) - 1;
      if (left === 0) open.delete(address);
      else open.set(address, left);
    });
  });
}

function reporter(log: Log): (address: string) => void {
  let refused = 0;
  let nextAt = Number.NEGATIVE_INFINITY;
  return (address) => {
    refused += 1;
    if (Date.now() < nextAt) return;
    log.warn(
      { address, refused },
      'Connections were refused: the address has server.max_connections_per_address open',
    );
    refused = 0;
    nextAt = Date.now() + LOG_EVERY_MS;
  };
}

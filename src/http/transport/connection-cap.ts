// How many connections one client address may hold open, so that none takes those of all others.
import type { Server } from 'node:net';
import { addressGroup } from '../../auth/client-ip.ts';
import type { Log } from '../../log.ts';

interface ConnectionCapParts {
  readonly maxPerAddress: number;
  /** Everybody behind a trusted proxy comes from its address. */
  readonly isTrustedProxy: (address: string | undefined) => boolean;
  readonly log: Log;
  readonly now?: () => number;
}

/** However many are refused, the log says it this often only. */
const LOG_EVERY_MS = 10_000;

/** Closes every connection beyond the cap as soon as it opens. An IPv6 client is its whole /64. */
export function capConnections(server: Server, parts: ConnectionCapParts): void {
  const { maxPerAddress, isTrustedProxy, now = Date.now } = parts;
  const open = new Map<string, number>();
  const report = reporter(parts.log, now);
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

function reporter(log: Log, now: () => number): (address: string) => void {
  let refused = 0;
  let nextAt = Number.NEGATIVE_INFINITY;
  return (address) => {
    refused += 1;
    if (now() < nextAt) return;
    log.warn(
      { address, refused },
      'Connections were refused: the address has server.max_connections_per_address open',
    );
    refused = 0;
    nextAt = now() + LOG_EVERY_MS;
  };
}

// Who asks: the address that a limit is counted for.
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** The peer; or, when the peer is a proxy on this machine, whom that one names in X-Real-IP. */
export function clientAddress(c: Context): string {
  const peer = getConnInfo(c).remote.address ?? 'unknown';
  return (LOOPBACK.test(peer) ? c.req.header('x-real-ip') : undefined) ?? peer;
}

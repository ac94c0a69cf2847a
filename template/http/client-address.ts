// The address of the client, for which limits are counted.
import { BlockList, isIP } from 'node:net';
import { getConnInfo } from '@hono/node-server/conninfo';
import type { Context } from 'hono';

/** The address of the peer, or the one in `X-Real-IP` when the peer is a trusted proxy. */
export type ClientAddress = (c: Context) => string;

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** `trusted` has addresses and ranges such as 10.0.0.0/8. This machine itself is always trusted. */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const proxies = new BlockList();
  for (const it of ['127.0.0.0/8', '::1', ...trusted]) {
    const [address = '', bits] = it.split('/');
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return (c) => {
    const peer = getConnInfo(c).remote.address ?? '';
    const named = c.req.header('x-real-ip') ?? '';
    return isIP(named) > 0 && isIP(peer) > 0 && proxies.check(peer, familyOf(peer)) ? named : peer;
  };
}

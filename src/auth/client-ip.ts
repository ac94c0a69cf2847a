// Determines the real client address of a request (docs/contract/authentication.md#lockout).
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;

export interface ClientAddresses {
  /** Whether this peer is a reverse proxy whose headers are trusted. */
  isTrustedProxy(peer: string | undefined): boolean;
  /** Returns the client's address: `X-Real-IP` when a trusted proxy sends a valid one, else the peer's. */
  clientIp(peer: string | undefined, realIpHeader: string | undefined): string;
}

/** Takes addresses and CIDR ranges. Ignores `X-Forwarded-For`, because any client can prepend to it. */
export function createClientAddresses(trustedProxies: readonly string[]): ClientAddresses {
  const ranges = trustedProxies.map(parseRange);
  const isTrustedProxy = (peer: string | undefined): boolean => {
    const address = parseAddress(peer);
    return address !== undefined && ranges.some((range) => contains(range, address));
  };
  return {
    isTrustedProxy,
    clientIp(peer, realIpHeader) {
      const claimed = isTrustedProxy(peer) ? parseAddress(realIpHeader) : undefined;
      return (claimed ?? parseAddress(peer))?.toString() ?? 'unknown';
    },
  };
}

/** Returns the addresses that count as one client for the lockout. An IPv6 client owns its whole /64. */
export function addressGroup(ip: string): string {
  const address = parseAddress(ip);
  if (address === undefined || !(address instanceof ipaddr.IPv6)) return ip;
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${withoutZone(address)}/64`).toString()}/64`;
}

function withoutZone(address: Address): string {
  return address.toString().split('%', 1)[0] ?? '';
}

/** Converts IPv4 inside IPv6 (`::ffff:10.0.0.1`) to the IPv4 address. */
function parseAddress(text: string | undefined): Address | undefined {
  const trimmed = text?.trim() ?? '';
  return ipaddr.isValid(trimmed) ? ipaddr.process(trimmed) : undefined;
}

function parseRange(text: string): [Address, number] {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

function contains(range: [Address, number], address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range);
}

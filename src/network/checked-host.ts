// Resolves a name once and checks all of its addresses. Connections use these without resolving again.
import { lookup, Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Returns all addresses of a name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

type CheckedHost =
  | { readonly kind: 'reachable'; readonly addresses: readonly ResolvedAddress[] }
  /** At least one address may not be reached. Mixing both kinds is an attempt to have the wrong one used. */
  | { readonly kind: 'inside' }
  | { readonly kind: 'unknown' };

const LOOKUP_TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Resolves names as every program of this machine does, including its hosts file. */
export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/**
 * Asks only the name servers of this machine. Uses none of the few threads with which the whole service
 * resolves names, so that heavy use delays no other request.
 */
export function resolveByNameServers(servers?: readonly string[]): Resolve {
  const resolver = new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (host) => {
    const [four, six] = await Promise.all([
      resolver.resolve4(host).catch(() => []),
      resolver.resolve6(host).catch(() => []),
    ]);
    return [
      ...four.map((address) => ({ address, family: 4 })),
      ...six.map((address) => ({ address, family: 6 })),
    ];
  };
}

/** Resolves and checks a host, given without the brackets of IPv6. Never rejects. */
export async function checkedHost(
  host: string,
  resolve: Resolve,
  mayReach: (address: string) => boolean,
): Promise<CheckedHost> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host).catch(() => []) : [{ address: host, family }];
  if (addresses.length === 0) return { kind: 'unknown' };
  if (!addresses.every(({ address }) => mayReach(address))) return { kind: 'inside' };
  return { kind: 'reachable', addresses };
}

/** Returns a lookup function that returns the checked addresses. */
export function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

/** Whether the connection went to one of these addresses. */
export function isOneOf(addresses: readonly ResolvedAddress[], connected: string | undefined): boolean {
  if (connected === undefined || !ipaddr.isValid(connected)) return false;
  const real = ipaddr.process(connected).toNormalizedString();
  return addresses.some(({ address }) => ipaddr.process(address).toNormalizedString() === real);
}

// Which addresses of the network the agent's requests may reach.
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * `public` only what is routed in the whole internet and is not this machine. `lan` as well what an operator has inside:
 * private ranges and the machine itself, but never the addresses behind which clouds keep their credentials.
 */
export type Reach = 'public' | 'lan';

/** Ranges by the names that ipaddr.js gives them. */
const LAN_RANGES: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/** Those that are not link-local: of Azure, Alibaba Cloud, Oracle Cloud, AWS and Google Cloud. */
const CLOUD_METADATA: ReadonlySet<string> = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map((address) =>
    bytesOf(ipaddr.parse(address)),
  ),
);
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** What the system says of the network of this machine. */
export type Interfaces = typeof networkInterfaces;

/**
 * Whether the address may be reached; what is no address may not. The machine's own addresses are asked for each time:
 * they come and go.
 */
export function isReachable(
  address: string,
  reach: Reach,
  interfaces: Interfaces = networkInterfaces,
): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address in the clothes of IPv6 is judged as what it is.
  const real = ipaddr.process(address);
  if (CLOUD_METADATA.has(bytesOf(real))) return false;
  const range = real.range();
  if (reach === 'lan' && LAN_RANGES.has(range)) return true;
  if (range !== 'unicast') return false;
  // Everything else that translates to IPv4, or is not given out at all.
  if (real instanceof ipaddr.IPv6 && !real.match(GLOBAL_IPV6)) return false;
  return reach === 'lan' || !isOwn(real, interfaces);
}

/** Behind a public address of this machine are the services that it offers to itself. */
function isOwn(real: ReturnType<typeof ipaddr.parse>, interfaces: Interfaces): boolean {
  const bytes = bytesOf(real);
  return Object.values(interfaces())
    .flatMap((addresses = []) => addresses)
    .some(({ address }) => ipaddr.isValid(address) && bytesOf(ipaddr.process(address)) === bytes);
}

/** Without the zone that an IPv6 address may carry. */
function bytesOf(address: ReturnType<typeof ipaddr.parse>): string {
  return address.toByteArray().join('.');
}

/** The host of an address, without the brackets of IPv6 and without a dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

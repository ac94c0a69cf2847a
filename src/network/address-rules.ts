// Determines which network addresses the agent's requests may reach.
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/**
 * `public` allows only addresses that are routed on the public internet and do not belong to this machine.
 * `lan` also allows private ranges and the machine itself, but never the addresses at which clouds expose
 * their credentials.
 */
export type Reach = 'public' | 'lan';

/** Ranges by the names that ipaddr.js gives them. */
const LAN_RANGES: ReadonlySet<string> = new Set(['private', 'loopback', 'uniqueLocal', 'carrierGradeNat']);
/**
 * Metadata addresses that are not link-local: of Azure, Alibaba Cloud, Oracle Cloud, AWS and Google Cloud.
 */
const CLOUD_METADATA: ReadonlySet<string> = new Set(
  ['168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'].map((address) =>
    bytesOf(ipaddr.parse(address)),
  ),
);
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Returns the network interfaces of this machine. */
export type Interfaces = typeof networkInterfaces;

/**
 * Whether the address may be reached. False for a text that is not an address. The machine's own addresses
 * are read on every call, because they change.
 */
export function isReachable(
  address: string,
  reach: Reach,
  interfaces: Interfaces = networkInterfaces,
): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address embedded in IPv6 is judged as IPv4.
  const real = ipaddr.process(address);
  if (CLOUD_METADATA.has(bytesOf(real))) return false;
  const range = real.range();
  if (reach === 'lan' && LAN_RANGES.has(range)) return true;
  if (range !== 'unicast') return false;
  // All other addresses that translate to IPv4 or are unallocated.
  if (real instanceof ipaddr.IPv6 && !real.match(GLOBAL_IPV6)) return false;
  return reach === 'lan' || !isOwn(real, interfaces);
}

/** Whether the address belongs to this machine, and so leads to services that it offers to itself. */
function isOwn(real: ReturnType<typeof ipaddr.parse>, interfaces: Interfaces): boolean {
  const bytes = bytesOf(real);
  return Object.values(interfaces())
    .flatMap((addresses = []) => addresses)
    .some(({ address }) => ipaddr.isValid(address) && bytesOf(ipaddr.process(address)) === bytes);
}

/** Returns the bytes of the address, without the zone that an IPv6 address may carry. */
function bytesOf(address: ReturnType<typeof ipaddr.parse>): string {
  return address.toByteArray().join('.');
}

/** Returns the host of a URL, without the brackets of IPv6 and without a trailing dot. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

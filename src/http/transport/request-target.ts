// Reads method, target and host of a request once and strictly, for access checks, routes, origins and logs.
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export interface RequestTarget {
  readonly method: string;
  /** The path as the client wrote it, neither decoded nor normalised. */
  readonly path: string;
  /** The part after the question mark, or empty. */
  readonly query: string;
  /** The host in lower case, with the port if the client sent one. */
  readonly host: string;
  /** The host without its port, and without the brackets of an IPv6 address. */
  readonly hostName: string;
}

/** The values as they arrived. `hosts` are the values of all `Host` headers. */
interface RawTarget {
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
}

export type TargetReading =
  | { readonly ok: true; readonly target: RequestTarget }
  | { readonly ok: false; readonly status: 400 | 431; readonly detail: string };

/**
 * The host in URLs built from requests. Only the path determines the route, whatever host the client sent.
 */
export const ROUTED_HOST = 'localhost';

/** Printable ASCII without the characters that URLs exclude. A percent sign begins an encoded byte. */
const PATH = /^\/(?:[!$&-;=@-Z[\]^_a-z|~]|%[0-9A-Fa-f]{2})*$/;
/** Browsers encode fewer characters in a query than in a path. */
const QUERY = /^[!"$-~]*$/;
const PORT = /^[0-9]{1,5}$/;
const MAX_PORT = 65_535;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_NAME_CHARACTERS = 253;
/** Including a port. */
const MAX_HOST_CHARACTERS = MAX_NAME_CHARACTERS + 6;
/** A last label that URLs parse as a number makes the whole name an IPv4 address. */
const NUMERIC = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const BYTE = /^(?:0|[1-9][0-9]{0,2})$/;

const BAD_TARGET =
  'The request target must be a path such as /api/threads, in printable ASCII; encode other characters with %.';
const BAD_HOST = 'The request must have exactly one Host header: a name or an address, and a port if wanted.';

const MAX_HEADERS = 200;

/** Reads the target of a request from a socket. */
export function targetOf({ method = '', url = '', rawHeaders }: IncomingMessage): TargetReading {
  if (rawHeaders.length > 2 * MAX_HEADERS)
    return { ok: false, status: 431, detail: `A request has at most ${MAX_HEADERS} headers.` };
  const hosts: string[] = [];
  // Names and values alternate. Joined headers would hide that there were two.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
  }
  return readTarget({ method, target: url, hosts });
}

/** Reads a target and refuses anything that two parsers might read differently. */
export function readTarget({ method, target, hosts }: RawTarget): TargetReading {
  const [host = '', ...others] = hosts;
  const hostName = others.length === 0 ? hostNameOf(host.toLowerCase()) : undefined;
  if (hostName === undefined) return { ok: false, status: 400, detail: BAD_HOST };
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  const query = end === -1 ? '' : target.slice(end + 1);
  if (!PATH.test(path) || !QUERY.test(query)) return { ok: false, status: 400, detail: BAD_TARGET };
  return { ok: true, target: { method, path, query, host: host.toLowerCase(), hostName } };
}

/**
 * Returns the host name. `undefined` unless it is a name, an IPv4 address or `[IPv6 address]`, with or
 * without `:port`.
 */
function hostNameOf(host: string): string | undefined {
  if (host.length > MAX_HOST_CHARACTERS) return undefined;
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  const name = end === -1 ? host : host.slice(0, end);
  if (name.length < host.length && !isPort(host.slice(name.length))) return undefined;
  if (!host.startsWith('[')) return isName(name) ? name : undefined;
  const address = name.slice(1, -1);
  return isIpv6(address) ? address : undefined;
}

function isPort(text: string): boolean {
  const port = text.slice(1);
  return text.startsWith(':') && PORT.test(port) && Number(port) <= MAX_PORT;
}

function isName(name: string): boolean {
  if (name.length > MAX_NAME_CHARACTERS) return false;
  const labels = name.split('.');
  if (NUMERIC.test(labels.at(-1) ?? '')) return isIpv4(labels);
  return labels.every((label) => LABEL.test(label));
}

function isIpv4(parts: readonly string[]): boolean {
  return parts.length === 4 && parts.every((part) => BYTE.test(part) && Number(part) <= 255);
}

/** Refuses zones, which only have meaning on the machine that wrote them. */
function isIpv6(address: string): boolean {
  return !address.includes('%') && ipaddr.IPv6.isValid(address);
}

/** Whether the origin is the request's own. Ignores the scheme, which a TLS-terminating proxy changes. */
export function isOwnOrigin({ host }: RequestTarget, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && originHost !== '' && new URL(own).host === originHost;
}

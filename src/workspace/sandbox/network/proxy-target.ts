// What a command asks the proxy to reach: read from the request, checked, and resolved to addresses. Also the
// headers that are passed on.
import { hostOf, isReachable } from '../../../network/address-rules.ts';
import { checkedHost, type Resolve, resolveByNameServers } from '../../../network/checked-host.ts';

export interface NetworkRules {
  readonly ports: ReadonlySet<number>;
  readonly resolve: Resolve;
  readonly mayReach: (address: string) => boolean;
}

export interface Destination {
  /** A name in the spelling of the URL standard, or an address without brackets. */
  readonly host: string;
  readonly port: number;
}

export type Target =
  | (Destination & { readonly kind: 'reachable'; readonly addresses: Awaited<ReturnType<Resolve>> })
  /** A sentence for the author of the command. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Allows the web, and nothing inside this network. */
export function internetRules(): NetworkRules {
  return {
    ports: new Set([80, 443]),
    resolve: resolveByNameServers(),
    mayReach: (address) => isReachable(address, 'public'),
  };
}

const MAX_URL_CHARACTERS = 8_192;
const AUTHORITY = /^(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#@\\:[\]]{1,255}):(\d{1,5})$/i;

/** Reads the target of `CONNECT`: a host and a port. Returns `undefined` for anything else. */
export function tunnelDestination(authority: string): Destination | undefined {
  const [, port] = AUTHORITY.exec(authority) ?? [];
  if (port === undefined || !URL.canParse(`http://${authority}/`)) return undefined;
  return { host: hostOf(new URL(`http://${authority}/`)), port: Number(port) };
}

/** Reads the target of any other method: an http address without a password; else `undefined`. */
export function requestUrl(text: string): URL | undefined {
  if (text.length > MAX_URL_CHARACTERS || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isPlain = url.protocol === 'http:' && url.username === '' && url.password === '';
  return isPlain ? url : undefined;
}

export function destinationOf(url: URL): Destination {
  return { host: hostOf(url), port: url.port === '' ? 80 : Number(url.port) };
}

/** Never rejects. */
export async function judge({ host, port }: Destination, rules: NetworkRules): Promise<Target> {
  if (!rules.ports.has(port)) {
    const open = [...rules.ports].join(' and ');
    return { kind: 'refused', reason: `Commands can only reach the ports ${open}, not ${port}.` };
  }
  const checked = await checkedHost(host, rules.resolve, rules.mayReach);
  switch (checked.kind) {
    case 'reachable':
      return { kind: 'reachable', host, port, addresses: checked.addresses };
    case 'inside':
      return { kind: 'refused', reason: `${host} is not a public address of the internet.` };
    case 'unknown':
      return { kind: 'refused', reason: `There is no host named ${host}.` };
  }
}

const OF_CONNECTION = new Set([
  ...['connection', 'proxy-connection', 'keep-alive', 'te', 'trailer', 'upgrade', 'expect'],
  ...['proxy-authorization', 'proxy-authenticate'],
]);

/**
 * Removes the headers that concern one connection only. `raw` has names and values in turn, as received. A
 * request keeps the headers that delimit its body; for a response, the sender decides that again. The host of
 * a request comes from its address, whatever its header says.
 */
export function endToEndHeaders(raw: readonly string[], kind: 'request' | 'response'): readonly string[] {
  const named = namedByConnection(raw);
  const dropped = kind === 'request' ? 'host' : 'transfer-encoding';
  return pairs(raw)
    .filter(([name]) => {
      const key = name.toLowerCase();
      return key !== dropped && !OF_CONNECTION.has(key) && (!named.has(key) || DELIMITING.has(key));
    })
    .flat();
}

/** A connection header that names these must not remove the end of a body. */
const DELIMITING = new Set(['content-length', 'transfer-encoding']);

function namedByConnection(raw: readonly string[]): ReadonlySet<string> {
  const values = pairs(raw).filter(([name]) => name.toLowerCase() === 'connection');
  return new Set(values.flatMap(([, value]) => value.split(',').map((it) => it.trim().toLowerCase())));
}

function pairs(raw: readonly string[]): readonly (readonly [string, string])[] {
  return raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as const] : []));
}

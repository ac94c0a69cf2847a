// One HTTP request to an address that was checked, and to no other one: what is resolved is what is connected to.
import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { invalid } from '../../errors.ts';
import { isReachable } from './address-rules.ts';
import type { CheckedUrl } from './checked-url.ts';

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** No cookies, no credentials, nothing that could tell who asks. */
const HEADERS = {
  accept:
    'text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, application/json;q=0.8, */*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'accept-language': 'en, *;q=0.5',
  'user-agent': 'Mozilla/5.0 (compatible; AgentService/1.0)',
};

/**
 * The answer, with its body unread. Every address of the name must be one that may be reached, and the connection goes
 * to one of them; a name that changes meanwhile changes nothing. Throws `invalid` with a sentence for the model.
 */
export async function guardedRequest(
  { url, host, reach }: CheckedUrl,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const addresses = await addressesOf(host, resolve);
  signal.throwIfAborted();
  // Also when one of several is inside: whoever mixes them wants the wrong one to be taken.
  if (!addresses.every(({ address }) => isReachable(address, reach)))
    throw invalid(`${host} is not a public address of the internet and is not fetched.`);
  const [agent, send] =
    url.protocol === 'https:'
      ? // Whatever the environment of the service says of certificates.
        [new HttpsAgent({ keepAlive: false, rejectUnauthorized: true }), httpsRequest]
      : [new HttpAgent({ keepAlive: false }), httpRequest];
  const answered = Promise.withResolvers<IncomingMessage>();
  const request = send(url, { agent, headers: HEADERS, lookup: pinned(addresses), signal });
  request.once('socket', (socket) => {
    socket.once('connect', () => {
      const isPinned = addresses.some(({ address }) => isSame(address, socket.remoteAddress));
      if (!isPinned) request.destroy(invalid(`The connection to ${host} went elsewhere.`));
    });
  });
  request.once('response', answered.resolve);
  // Also behind the answer, where nobody else listens: what broke off is told by its body.
  request.on('error', answered.reject);
  request.end();
  return answered.promise;
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  if (isIP(host) !== 0) return [{ address: host, family: isIP(host) }];
  const addresses = await resolve(host).catch(() => []);
  if (addresses.length === 0) throw invalid(`There is no host named ${host}.`);
  return addresses;
}

function pinned(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else done(null, first?.address ?? '', first?.family);
  };
}

function isSame(known: string, connected: string | undefined): boolean {
  if (connected === undefined || !ipaddr.isValid(connected)) return false;
  return ipaddr.process(known).toNormalizedString() === ipaddr.process(connected).toNormalizedString();
}

// Only names of this machine reach a service that listens on this machine alone.
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../errors.ts';
import type { Clients } from '../clients.ts';
import type { AppContext, AppMiddleware } from '../context.ts';
import type { HttpOptions } from '../http-options.ts';

/**
 * A page can have its own name lead to 127.0.0.1 and then talk to the service as if it were its own site. So on a loopback
 * address the `Host` must be an address, `localhost`, or a configured name; what a trusted proxy passes on is its affair.
 */
export function knownHost(
  { host, allowed_hosts, cors_origins }: HttpOptions,
  clients: Pick<Clients, 'isTrustedProxy'>,
): AppMiddleware {
  if (!isThisMachine(host)) return (_c, next) => next();
  const known = new Set([...allowed_hosts, ...cors_origins.map((origin) => new URL(origin).hostname)]);
  return async (c, next) => {
    const name = hostName(c);
    if (!isThisMachine(name) && !isAddress(name) && !known.has(name) && !clients.isTrustedProxy(c)) {
      throw new ServiceError(
        'forbidden',
        'This service answers to localhost only. To reach it under another name, add the name to server.allowed_hosts, ' +
          'or the address of the proxy to auth.trusted_proxies.',
      );
    }
    await next();
  };
}

function hostName(c: AppContext): string {
  const host = c.req.header('host');
  const url = host === undefined ? c.req.url : `http://${host}`;
  return URL.canParse(url) ? new URL(url).hostname : '';
}

function isThisMachine(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  const address = bare(name);
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}

/** Nobody else's page can have an address as its name. */
function isAddress(name: string): boolean {
  return ipaddr.isValid(bare(name));
}

/** IPv6 stands in brackets where a port may follow. */
function bare(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1');
}

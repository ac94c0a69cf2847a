// Restricts a service that listens on a loopback address to host names of this machine.
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../errors.ts';
import type { Clients } from '../api/clients.ts';
import type { AppMiddleware } from '../api/context.ts';
import type { HttpOptions } from '../transport/http-options.ts';

/**
 * A page can point its own host name at 127.0.0.1 and then talk to the service as its own site. So on a
 * loopback address, the `Host` must be an address, `localhost`, or a configured name. Requests of a trusted
 * proxy are exempt.
 */
export function knownHost(
  { host, allowed_hosts, cors_origins }: HttpOptions,
  clients: Pick<Clients, 'isTrustedProxy'>,
): AppMiddleware {
  if (!isThisMachine(host)) return (_c, next) => next();
  const known = new Set([...allowed_hosts, ...cors_origins.map((origin) => new URL(origin).hostname)]);
  return async (c, next) => {
    const { hostName: name } = c.var.target;
    if (!isThisMachine(name) && !isAddress(name) && !known.has(name) && !clients.isTrustedProxy(c)) {
      throw new ServiceError(
        'forbidden',
        'This service only accepts requests to localhost. To reach it under another name, add the name to server.allowed_hosts, ' +
          'or the address of the proxy to auth.trusted_proxies.',
      );
    }
    await next();
  };
}

function isThisMachine(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return ipaddr.isValid(name) && ipaddr.process(name).range() === 'loopback';
}

/** True for an address, which no other site's page can have as its name. */
function isAddress(name: string): boolean {
  return ipaddr.isValid(name);
}

// Restricts a service that listens on a loopback address to host names of this machine.
import ipaddr from 'ipaddr.js';
import { ServiceError } from '../../errors.ts';
import type { AppMiddleware } from '../api/context.ts';
import type { HttpOptions } from '../transport/http-options.ts';

/**
 * A page can point its own host name at 127.0.0.1 and then talk to the service as its own site. So on a
 * loopback address, the `Host` must be an address, `localhost`, or a configured name. Requests of a trusted
 * proxy are exempt.
 */
export function knownHost({ host, allowed_hosts, cors_origins }: HttpOptions): AppMiddleware {
  if (!isThisMachine(host)) return (_c, next) => next();
  const known = new Set([...allowed_hosts, ...cors_origins.map((origin) => new URL(origin).hostname)]);
  return async (c, next) => {
    const { client, target } = c.var;
    const { hostName: name } = target;
    // No other site's page can have an address as its name.
    if (!isThisMachine(name) && !ipaddr.isValid(name) && !known.has(name) && !client.isTrustedProxy) {
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

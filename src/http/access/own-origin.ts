// Whether a page's `Origin` is the place that its request goes to.
import type { RequestTarget } from '../transport/request-target.ts';

/** Compared without the scheme, which a proxy that ends TLS changes. */
export function isOwnOrigin({ host }: RequestTarget, origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && originHost !== '' && new URL(own).host === originHost;
}

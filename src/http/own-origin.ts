// Whether a page's `Origin` is the place that its request goes to.
import type { AppContext } from './context.ts';

/** Compared without the scheme, which a proxy that ends TLS changes. */
export function isOwnOrigin(c: AppContext, origin: string): boolean {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!URL.canParse(origin)) return false;
  const { protocol, host: originHost } = new URL(origin);
  const own = `${protocol}//${host}`;
  return URL.canParse(own) && originHost !== '' && new URL(own).host === originHost;
}

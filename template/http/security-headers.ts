// Security headers of every response: what a page may load, and that no site may frame it.
import { secureHeaders } from 'hono/secure-headers';
import type { Config } from '../config/config-schema.ts';

/** Everything from here; components set styles of their own. */
export const PAGE_POLICY = {
  defaultSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
};

export function securityHeaders({ app }: Config, policy: Partial<typeof PAGE_POLICY>) {
  return secureHeaders({
    contentSecurityPolicy: { ...policy, baseUri: ["'none'"], formAction: ["'self'"], frameAncestors: ["'none'"] },
    strictTransportSecurity: app.environment !== 'development' && 'max-age=31536000',
    referrerPolicy: 'no-referrer',
    xFrameOptions: 'DENY',
  });
}

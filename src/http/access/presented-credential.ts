// Where a request carries its credential: the session's cookie, or an API key in a header.
import { isApiKey } from '../../auth/api-keys.ts';
import type { Presented } from '../../auth/credentials.ts';
import type { AppContext } from '../api/context.ts';
import { accessToken } from './session-cookies.ts';

const BEARER = /^bearer (.*)/i;

/**
 * A key in a header is there because a program put it there, while browsers add cookies by themselves: the key counts.
 * What is in `X-Api-Key` and is no key of this service is not meant for it: the LangGraph SDK sends what it finds in
 * its environment. Nor is `Authorization` of another scheme, which belongs to a proxy.
 */
export function presentedCredential(c: AppContext, transport: { readonly https: boolean }): Presented {
  const bearer = BEARER.exec(c.req.header('authorization')?.trim() ?? '')?.[1]?.trim();
  const header = c.req.header('x-api-key');
  return {
    sessionToken: accessToken(c, transport),
    apiKey: bearer ?? (header !== undefined && isApiKey(header) ? header : undefined),
  };
}

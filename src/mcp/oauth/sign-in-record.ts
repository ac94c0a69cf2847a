// The stored sign-in of a person at one server.
import type {
  OAuthDiscoveryState,
  OAuthTokens,
  StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import { z } from 'zod';

// Only the service writes these files, so their contents were checked before writing.
const object = <Value>() => z.custom<Value>((value) => typeof value === 'object' && value !== null);

const clientSchema = z.object({
  client: object<StoredOAuthClientInformation>(),
  discovery: object<OAuthDiscoveryState>(),
  /** The address to which browsers return. */
  redirectUrl: z.string(),
  /** The resource for which tokens are requested. */
  resource: z.string().optional(),
});

const tokensSchema = z.object({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** The requested scopes, as everywhere here in one text with spaces. */
  scope: z.string().optional(),
  receivedAt: z.number(),
  expiresAt: z.number().nullable(),
});

export const signInRecordSchema = z.object({
  /** The address of the tool server. What was issued for one address is never sent to another. */
  url: z.string(),
  registered: clientSchema.optional(),
  tokens: tokensSchema.optional(),
  /** Scopes that the server wants besides those of the tokens. The next sign-in requests them. */
  missingScope: z.string().optional(),
  /** A sign-in that was begun. Only the newest one can be finished. */
  begun: clientSchema
    .extend({ state: z.string(), verifier: z.string(), scope: z.string().optional(), at: z.number() })
    .optional(),
});

export type SignInRecord = z.output<typeof signInRecordSchema>;
export type RegisteredClient = z.output<typeof clientSchema>;
export type BegunSignIn = NonNullable<SignInRecord['begun']>;
type StoredTokens = z.output<typeof tokensSchema>;

/** `expires_in` is in seconds, as token endpoints return it; `scope` is what was requested. */
export function storedTokens(
  tokens: OAuthTokens,
  { now, scope }: { readonly now: number; readonly scope: string | undefined },
): StoredTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = tokens;
  const expiresAt = seconds === undefined ? null : now + seconds * 1_000;
  return { accessToken, refreshToken, scope, receivedAt: now, expiresAt };
}

/** Returns the folder of a person's sign-ins below the data home, and the file of one. */
export function signInFile(userId: string, server: string) {
  return { names: ['users', userId, 'mcp-sign-ins'], name: `${server}.sealed` };
}

// The tokens of a person's sign-in at a server, renewed with its refresh token.
import type { TokenSource, TokenSourceParts } from './fresh-tokens.ts';
import type { SealedFiles } from './sealed-file.ts';
import { type SignInRecord, signInFile, storedTokens } from './sign-in-record.ts';

export interface SignInServer {
  readonly name: string;
  readonly url: string;
  readonly skewMs: number;
}

export function personalTokens(
  userId: string,
  { name, url, skewMs }: SignInServer,
  { files, fetch, now }: TokenSourceParts<SignInRecord>,
): TokenSource {
  const at = signInFile(userId, name);
  const tokensOf = (record: SignInRecord | undefined) => (record?.url === url ? record.tokens : undefined);
  return {
    key: JSON.stringify([userId, name, url]),
    skewMs,
    read: async () => tokensOf(await files.read(at)),
    renew: async (stale) => {
      if (tokensOf(await files.read(at)) === undefined) return undefined;
      const after = await files.update(at, async (record) => {
        const tokens = tokensOf(record);
        if (record === undefined || tokens === undefined || tokens.accessToken !== stale) return record;
        return { ...record, tokens: await followingTokens(record, { fetch, now }) };
      });
      return tokensOf(after);
    },
  };
}

const MAX_SCOPE = 2_000;

/** Stores scopes that the server found missing, unless they were requested: signing in again cannot help. */
export async function keepMissingScope(
  userId: string,
  { name, url }: Pick<SignInServer, 'name' | 'url'>,
  { scope, files }: { readonly scope: string; readonly files: SealedFiles<SignInRecord> },
): Promise<void> {
  const { computeScopeUnion, isStrictScopeSuperset } = await import('@modelcontextprotocol/client');
  await files.update(signInFile(userId, name), (record) => {
    if (record?.url !== url || !isStrictScopeSuperset(scope, record.tokens?.scope)) return record;
    const missingScope = computeScopeUnion(record.missingScope, scope);
    return missingScope === undefined || missingScope.length > MAX_SCOPE
      ? record
      : { ...record, missingScope };
  });
}

/** Returns `undefined` when the person must sign in again. */
async function followingTokens(
  { tokens, registered }: SignInRecord,
  { fetch, now }: Omit<TokenSourceParts<SignInRecord>, 'files'>,
): Promise<SignInRecord['tokens']> {
  if (tokens?.refreshToken === undefined || registered === undefined) return undefined;
  const { client, discovery, resource } = registered;
  const { OAuthError, OAuthErrorCode, refreshAuthorization } = await import('@modelcontextprotocol/client');
  try {
    const renewed = await refreshAuthorization(discovery.authorizationServerUrl, {
      ...(discovery.authorizationServerMetadata && { metadata: discovery.authorizationServerMetadata }),
      clientInformation: client,
      refreshToken: tokens.refreshToken,
      ...(resource === undefined ? {} : { resource }),
      fetchFn: fetch,
    });
    return storedTokens(renewed, { now: now(), scope: tokens.scope });
  } catch (error) {
    // After these responses the refresh token is no longer valid.
    const { InvalidGrant, InvalidClient, UnauthorizedClient } = OAuthErrorCode;
    const over: readonly string[] = [InvalidGrant, InvalidClient, UnauthorizedClient];
    if (error instanceof OAuthError && over.includes(error.code)) return undefined;
    throw error;
  }
}

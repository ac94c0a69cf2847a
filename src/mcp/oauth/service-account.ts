// The tokens of the service's own account at a server, for everyone (`client_credentials`, `refresh_token`).
import { createHash } from 'node:crypto';
import type { FetchLike } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { McpOauth } from '../config/server-entry.ts';
import { ServerFailure } from '../server-failure.ts';
import { AuthorizationServerError } from './authorization-fetch.ts';
import type { TokenSource, TokenSourceParts } from './fresh-tokens.ts';

export const accountRecordSchema = z.object({
  /** The version of the configuration for which the tokens were issued. */
  version: z.string(),
  accessToken: z.string(),
  /** The newest one, if the server issues another one each time. */
  refreshToken: z.string().optional(),
  receivedAt: z.number(),
  expiresAt: z.number().nullable(),
});

type AccountRecord = z.output<typeof accountRecordSchema>;

export interface ServiceAccount {
  readonly server: string;
  readonly oauth: McpOauth;
}

const responseSchema = z.record(z.string(), z.unknown());

export function serviceAccountTokens(
  { server, oauth }: ServiceAccount,
  { files, fetch, now }: TokenSourceParts<AccountRecord>,
): TokenSource {
  const at = { names: ['mcp', 'accounts'], name: `${server}.sealed` };
  const version = createHash('sha256').update(JSON.stringify(oauth)).digest('base64url');
  const current = (record: AccountRecord | undefined) => (record?.version === version ? record : undefined);
  return {
    key: JSON.stringify([server, version]),
    skewMs: oauth.refresh_skew_seconds * 1_000,
    read: async () => current(await files.read(at)),
    renew: (stale) =>
      files.update(at, async (record) => {
        const held = current(record);
        if (held !== undefined && held.accessToken !== stale) return held;
        const response = await askForToken(fetch, { server, oauth, refreshToken: held?.refreshToken });
        const tokens = accountTokens(response, oauth, now());
        return { version, ...tokens, refreshToken: tokens.refreshToken ?? held?.refreshToken };
      }),
  };
}

interface TokenRequest extends ServiceAccount {
  /** The newest one; absent: the configured one. */
  readonly refreshToken: string | undefined;
}

async function askForToken(
  fetch: FetchLike,
  request: TokenRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const { server, oauth } = request;
  const failed = (why: string) =>
    new ServerFailure('unreachable', `The service could not sign in to the tool server '${server}': ${why}.`);
  try {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      ...(isInHeader(oauth) && { authorization: basicOf(oauth) }),
    };
    const response = await fetch(oauth.token_url ?? '', { method: 'POST', headers, body: formOf(request) });
    const body = responseSchema.safeParse(await response.json().catch(() => undefined));
    if (!response.ok || !body.success)
      throw failed(`its authorization server answered with status ${response.status}`);
    if (typeof body.data[oauth.token_field] !== 'string')
      throw failed(`there is no '${oauth.token_field}' in the answer of its authorization server`);
    return body.data;
  } catch (error) {
    throw error instanceof AuthorizationServerError ? failed(error.message) : error;
  }
}

function isInHeader({ token_endpoint_auth_method: method }: McpOauth): boolean {
  return method === 'client_secret_basic';
}

/** RFC 6749, 2.3.1. */
function basicOf({ client_id: id = '', client_secret: secret = '' }: McpOauth): string {
  const pair = [id, secret].map(encodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function formOf({ oauth, refreshToken = oauth.refresh_token }: TokenRequest): URLSearchParams {
  const fields = {
    grant_type: oauth.grant_type,
    client_id: isInHeader(oauth) ? undefined : oauth.client_id,
    client_secret: isInHeader(oauth) ? undefined : oauth.client_secret,
    refresh_token: oauth.grant_type === 'refresh_token' ? refreshToken : undefined,
    scope: oauth.scope,
    audience: oauth.audience,
  };
  const form = new URLSearchParams(oauth.extra_token_params);
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== '') form.set(name, value);
  }
  return form;
}

function accountTokens(tokens: Readonly<Record<string, unknown>>, oauth: McpOauth, now: number) {
  const seconds = Number(tokens[oauth.expires_in_field] ?? Number.NaN);
  const next = tokens.refresh_token;
  return {
    accessToken: String(tokens[oauth.token_field]),
    refreshToken: typeof next === 'string' ? next : undefined,
    receivedAt: now,
    expiresAt: Number.isFinite(seconds) && seconds > 0 ? now + seconds * 1_000 : null,
  };
}

// One sign-in of a person at a server: to the authorization server, and back with a code (OAuth 2.1, PKCE).
import {
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  type FetchLike,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  type StoredOAuthClientInformation,
} from '@modelcontextprotocol/client';
import type { McpOauth } from '../config/server-entry.ts';
import { AuthorizationServerError } from './authorization-fetch.ts';
import type { RemoteServer } from './remote-server.ts';
import type { BegunSignIn, RegisteredClient } from './sign-in-record.ts';

type FlowServer = Pick<RemoteServer, 'url' | 'oauth'>;

interface FlowStart {
  readonly redirectUrl: string;
  readonly state: string;
  /** An earlier registration, perhaps for another redirect address. */
  readonly registered: RegisteredClient | undefined;
  readonly challenge: Challenge;
  /** Scopes to request besides those that the configuration or the server names. */
  readonly moreScope: string | undefined;
}

interface Challenge {
  readonly resourceMetadataUrl?: URL;
  readonly scope?: string;
}

/** Finds the authorization server, registers the service unless it is known there, and begins the sign-in. */
export async function startFlow(
  { url, oauth }: FlowServer,
  { redirectUrl, state, registered, challenge, moreScope }: FlowStart,
  fetch: FetchLike,
) {
  const known = registered?.redirectUrl === redirectUrl ? registered.client : undefined;
  const found: FlowFindings = { client: configuredClient(oauth) ?? known };
  const scope = computeScopeUnion(oauth?.scope ?? challenge.scope, moreScope);
  await auth(collectingProvider(found, redirectUrl, state), {
    serverUrl: url,
    ...(scope === undefined ? {} : { scope }),
    ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    fetchFn: fetch,
    forceReauthorization: true,
  });
  const { authorizationUrl, client, discovery, verifier, resource } = found;
  if (!authorizationUrl || !client || !discovery || verifier === undefined)
    throw new Error('The library did not begin a sign-in.');
  requireTokenUrl(oauth, discovery);
  // The person's browser follows this address.
  if (!/^https?:$/.test(authorizationUrl.protocol)) throw new Error('The address is not http or https.');
  const asked = authorizationUrl.searchParams.get('scope') ?? undefined;
  const begun = { client, discovery, redirectUrl, resource, state, verifier, scope: asked };
  return { authorizationUrl, begun };
}

/** Exchanges the code for tokens. Rejects for an unexpected issuer, and when the server refuses. */
export async function finishFlow(
  { url }: FlowServer,
  begun: BegunSignIn,
  {
    code,
    iss,
    fetch,
  }: { readonly code: string; readonly iss: string | undefined; readonly fetch: FetchLike },
): Promise<OAuthTokens> {
  const { client, discovery, verifier, redirectUrl } = begun;
  const found: FlowFindings = { client, discovery, verifier };
  await auth(collectingProvider(found, redirectUrl, begun.state), {
    serverUrl: url,
    authorizationCode: code,
    ...(iss === undefined ? {} : { iss }),
    fetchFn: fetch,
  });
  if (found.tokens === undefined) throw new Error('The library did not finish the sign-in.');
  return found.tokens;
}

/** Requires that a configured secret goes to the address configured with it, and to no other. */
function requireTokenUrl(oauth: McpOauth | undefined, discovery: OAuthDiscoveryState): void {
  if (!oauth?.client_secret) return;
  const found = URL.parse(discovery.authorizationServerMetadata?.token_endpoint ?? '')?.href;
  if (found !== undefined && found === URL.parse(oauth.token_url ?? '')?.href) return;
  throw new AuthorizationServerError(
    'its authorization server gives tokens elsewhere than at oauth.token_url',
  );
}

interface FlowFindings {
  client: StoredOAuthClientInformation | undefined;
  discovery?: OAuthDiscoveryState;
  verifier?: string;
  resource?: string;
  authorizationUrl?: URL;
  tokens?: OAuthTokens;
}

/** Collects what the flow finds, without storing it. The caller decides what to store. */
function collectingProvider(found: FlowFindings, redirectUrl: string, state: string): OAuthClientProvider {
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Agent Service',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => state,
    clientInformation: () => found.client,
    saveClientInformation: (client) => {
      found.client = client;
    },
    tokens: () => undefined,
    saveTokens: (tokens) => {
      found.tokens = tokens;
    },
    redirectToAuthorization: (authorizationUrl) => {
      found.authorizationUrl = authorizationUrl;
    },
    saveCodeVerifier: (verifier) => {
      found.verifier = verifier;
    },
    codeVerifier: () => found.verifier ?? '',
    discoveryState: () => found.discovery,
    saveDiscoveryState: (discovery) => {
      found.discovery = discovery;
    },
    saveResourceUrl: (resource) => {
      found.resource = resource;
    },
  };
}

function configuredClient(oauth: McpOauth | undefined): StoredOAuthClientInformation | undefined {
  if (!oauth?.client_id) return undefined;
  return { client_id: oauth.client_id, ...(oauth.client_secret && { client_secret: oauth.client_secret }) };
}

/** Sends a request without credentials. The server's refusal names its authorization server. */
export async function challengeOf({ url, type }: RemoteServer, fetch: FetchLike): Promise<Challenge> {
  const accept = 'application/json, text/event-stream';
  const refused = await fetch(
    url,
    type === 'sse'
      ? { headers: { accept } }
      : {
          method: 'POST',
          headers: { accept, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
        },
  );
  if (refused.status !== 401) return {};
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
  return { ...(resourceMetadataUrl && { resourceMetadataUrl }), ...(scope !== undefined && { scope }) };
}

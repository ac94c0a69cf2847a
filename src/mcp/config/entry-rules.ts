// Whether an entry of the right shape may be used: its command, address and headers.
import { isIP } from 'node:net';
import { hostOf, isReachable } from '../../network/address-rules.ts';
import type { McpOptions } from '../mcp-options.ts';
import type { McpOauth, McpServerEntry } from './server-entry.ts';
import { stdioProblem } from './stdio-rules.ts';

const MAX_URL = 2_048;
/** Headers that the transport writes itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'content-length',
  'content-type',
  'transfer-encoding',
  'accept',
  'upgrade',
  'mcp-session-id',
  'mcp-protocol-version',
  'last-event-id',
]);

/**
 * Returns a problem without the server's name, or `undefined`. Makes no lookup and starts nothing. A disabled
 * entry is not used, so it has no problem. Enabling it checks it again.
 */
export function entryProblem(
  entry: McpServerEntry,
  options: Pick<McpOptions, 'stdio_commands'>,
): string | undefined {
  if (!entry.enabled) return undefined;
  if (entry.type === 'stdio') {
    const { command, args, env } = entry;
    if (command === undefined || command === '') return 'a stdio server needs a command.';
    if (entry.oauth !== undefined) return 'a stdio server cannot use oauth; pass credentials in env.';
    return stdioProblem({ command, args, env }, options.stdio_commands);
  }
  if (entry.url === undefined || entry.url === '') return `a server of the type ${entry.type} needs a url.`;
  return addressProblem(entry.url) ?? headerProblem(entry) ?? oauthProblem(entry.oauth);
}

/** The name under which a cloud serves the credentials of its machines. Other clouds use addresses. */
const CLOUD_METADATA = /(?:^|\.)metadata\.google\.internal\.?$/;

/** Allows hosts inside the network, but not where clouds serve credentials. Makes no lookup. */
function addressProblem(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || text.length > MAX_URL)
    return 'its url must be a full http(s) address.';
  if (url.username !== '' || url.password !== '')
    return 'its url must have no user name and no password; put them into headers.';
  if (url.hash !== '') return 'its url must have no fragment (#).';
  const host = hostOf(url);
  if (CLOUD_METADATA.test(host) || (isIP(host) !== 0 && !isReachable(host, 'lan')))
    return 'its url leads to an address that is never reached.';
  return undefined;
}

function headerProblem({ headers }: McpServerEntry): string | undefined {
  const own = Object.keys(headers).find((name) => OWN_HEADERS.has(name.toLowerCase()));
  return own === undefined ? undefined : `the header ${own} is written by the service and cannot be set.`;
}

function oauthProblem(oauth: McpOauth | undefined): string | undefined {
  if (oauth === undefined || !oauth.enabled) return undefined;
  if (oauth.token_url !== undefined) {
    const problem = addressProblem(oauth.token_url);
    if (problem !== undefined) return problem.replace('its url', 'its oauth.token_url');
  }
  if (oauth.grant_type !== 'authorization_code') return serviceAccountProblem(oauth);
  // The tool server names its authorization server, so the secret is not sent to whatever address it names.
  if (!oauth.client_secret || oauth.token_url) return undefined;
  return 'oauth with client_secret needs token_url, the one address to which the secret is sent.';
}

function serviceAccountProblem(oauth: McpOauth): string | undefined {
  const missing = (['token_url', 'client_id'] as const).find((key) => !oauth[key]);
  if (missing !== undefined) return `oauth with ${oauth.grant_type} needs ${missing}.`;
  if (oauth.grant_type === 'client_credentials' && !oauth.client_secret)
    return 'oauth with client_credentials needs client_secret.';
  if (oauth.grant_type === 'refresh_token' && !oauth.refresh_token)
    return 'oauth with refresh_token needs refresh_token.';
  return undefined;
}

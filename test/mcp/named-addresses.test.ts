// Where requests for a sign-in may go when the name of a tool server leads inside of the network.
import { expect, it } from 'vitest';
import { createFetchFor } from '../../src/mcp/oauth/remote-server.ts';

const fetchFor = createFetchFor({
  allowHosts: [],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
});

it.each([
  ['http://tools.corp:1/token', 'no https address'],
  ['https://tools.corp:1/token', 'inside of the network'],
  // Allowed, and nobody is there.
  ['https://login.corp:1/token', 'does not answer'],
])('[mcp.oauth.sign_in] goes inside only to what the entry names, not to %s', async (address, problem) => {
  const oauth = {
    enabled: true,
    grant_type: 'authorization_code',
    token_url: 'https://login.corp:1/token',
    token_field: 'access_token',
    expires_in_field: 'expires_in',
    refresh_skew_seconds: 60,
    token_endpoint_auth_method: 'client_secret_post',
    extra_token_params: {},
  } as const;
  const server = {
    name: 'tools',
    type: 'http',
    url: 'https://tools.corp/mcp',
    oauth,
    isPersonal: true,
  } as const;
  await expect(fetchFor(server)(address)).rejects.toThrow(problem);
});

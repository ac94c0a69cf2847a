// Addresses for requests of a sign-in when the name of a tool server resolves inside the network.
import { expect, it } from 'vitest';
import { createFetchFor } from '../../src/mcp/oauth/authorization-fetch.ts';

const fetchFor = createFetchFor({
  allowHosts: [],
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
});

it.each([
  ['http://tools.corp:1/token', 'no https address'],
  ['https://tools.corp:1/token', 'inside of the network'],
  // Allowed, but nothing listens there.
  ['https://login.corp:1/token', 'does not answer'],
])('[mcp.oauth.sign_in] reaches only named addresses inside the network: %s', async (address, problem) => {
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

// A user's account at a tool server: starting and finishing the sign-in, and signing out.
import { z } from 'zod';
import type { AppContext } from '../api/context.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import type { McpRouteParts } from './mcp-servers.ts';

const CALLBACK = '/api/mcp/oauth/callback';
const PAGE = '/tool-servers';

const text = z.string().max(8_192).optional();
const callbackQuery = z.object({
  state: z.string().min(1).max(512).describe('As it was sent along'),
  code: text.describe('What is exchanged for tokens'),
  iss: text.describe('Who gave the code (RFC 9207)'),
  error: text.describe('Why there is no code'),
});

export function mcpSignInRoutes(routes: RouteTable, { oauth: { signIns }, publicUrl }: McpRouteParts): void {
  routes.post('/api/mcp/servers/{server}/sign-in', {
    access: 'session',
    operationId: 'beginToolServerSignIn',
    errors: ['forbidden', 'not_found', 'conflict'],
    summary: 'Begin to sign in to a tool server',
    responses: ok('The address to open in the browser', z.object({ authorization_url: z.string() })),
    handle: async (c) => {
      const origin = publicUrl ?? originOf(c);
      const url = await signIns.begin(placeOf(c), `${origin}${CALLBACK}`);
      return c.json({ authorization_url: url.href });
    },
  });

  routes.delete('/api/mcp/servers/{server}/sign-in', {
    access: 'session',
    operationId: 'signOutOfToolServer',
    errors: ['forbidden', 'not_found'],
    summary: 'Forget your account at a tool server',
    responses: { 204: { description: 'It is forgotten' } },
    handle: (c) => signIns.signOut(placeOf(c)),
  });

  routes.get(CALLBACK, {
    access: 'session',
    operationId: 'finishToolServerSignIn',
    errors: ['forbidden'],
    summary: 'Where a browser returns after signing in to a tool server',
    query: callbackQuery,
    responses: {
      303: { description: 'A redirect to the page of the tool servers, which shows the outcome' },
    },
    handle: async (c, { query }) => {
      const outcome = await signIns.finish(c.var.user.id, query);
      const parameters: Record<string, string> =
        outcome.kind === 'signed_in' ? { signed_in: outcome.server } : { sign_in_failed: outcome.reason };
      return c.redirect(`${PAGE}?${new URLSearchParams(parameters)}`, 303);
    },
  });
}

function placeOf(c: AppContext) {
  return { userId: c.var.user.id, server: pathParam(c, 'server') };
}

/** Returns the origin of the request. The host comes from the user's own browser. */
function originOf(c: AppContext): string {
  return `${c.var.client.isHttps ? 'https' : 'http'}://${c.var.target.host}`;
}

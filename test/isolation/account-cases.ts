// Routes about the account itself, and those that no session reaches: nothing but what is in the path can be somebody else's.
import type { Case, Cases } from './attacks.ts';

const NOTHING: Case = {};

export const ACCOUNT: Cases = {
  'POST /api/v1/auth/login/local': NOTHING,
  'POST /api/v1/auth/register': NOTHING,
  'POST /api/v1/auth/initialize': NOTHING,
  'POST /api/v1/auth/logout': NOTHING,
  'GET /api/v1/auth/me': NOTHING,
  'DELETE /api/v1/auth/me': NOTHING,
  'POST /api/v1/auth/change-password': NOTHING,
  'POST /api/v1/auth/change-email': NOTHING,
  'POST /api/v1/auth/confirm-password': NOTHING,
  'GET /api/v1/auth/setup-status': NOTHING,
  'GET /api/v1/auth/providers': NOTHING,
  'POST /api/v1/auth/api-keys': NOTHING,
  'GET /api/v1/auth/api-keys': NOTHING,
  'DELETE /api/v1/auth/api-keys/{key_id}': NOTHING,
  'GET /api/v1/auth/webhook-secret': NOTHING,
  'GET /api/v1/auth/sessions': NOTHING,
  'DELETE /api/v1/auth/sessions': NOTHING,
  'DELETE /api/v1/auth/sessions/{session_id}': NOTHING,
  // What API keys reach here is tried in test/mcp-server.
  'POST /mcp': { body: { jsonrpc: '2.0', id: 1, method: 'ping' } },
  'GET /mcp': NOTHING,
  'DELETE /mcp': NOTHING,
};

// Routes about the store.
import type { Cases } from './attacks.ts';

/** Items have no ids: what is named is the user's own, and what Bob keeps has the same name. */
export const STORE: Cases = {
  'PUT /api/graph/store/items': { body: { namespace: ['notes'], key: 'k', value: { mine: true } } },
  'GET /api/graph/store/items': { query: 'namespace=notes&key=k' },
  'DELETE /api/graph/store/items': { body: { namespace: ['notes'], key: 'k' } },
  'POST /api/graph/store/items/search': { body: { namespace_prefix: [] } },
  'POST /api/graph/store/namespaces': { body: {} },
};

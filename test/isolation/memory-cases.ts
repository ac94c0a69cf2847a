// Routes about memory.
import type { Cases } from './attacks.ts';

export const MEMORY: Cases = {
  'GET /api/memory': {},
  'DELETE /api/memory': {},
  'POST /api/memory/undo': { body: { revision: 1 } },
  'POST /api/memory/facts': { body: { content: 'Keeps bees' } },
  'PATCH /api/memory/facts/{fact_id}': { body: { category: 'goal' } },
  'DELETE /api/memory/facts/{fact_id}': {},
  'GET /api/memory/export': {},
  'POST /api/memory/import': {
    body: { facts: [{ content: 'Keeps bees' }] },
    nobodys: {
      thread_id: 'it says where a fact came from; nothing is looked up by it',
      message_id: 'it says where a fact came from; nothing is looked up by it',
    },
  },
  'GET /api/memory/config': {},
  'PATCH /api/memory/config': { body: { user_enabled: true } },
};

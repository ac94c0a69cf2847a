// Routes about agents that people define.
import type { Cases } from './attacks.ts';

export const AGENTS: Cases = {
  'GET /api/agents': {},
  'POST /api/agents': { body: { name: 'mine' } },
  'POST /api/agents/import': {
    body: { format: 'agent-service-agent', format_version: 1, agent: { name: 'mine' } },
  },
  'GET /api/agents/{agent_name}': {},
  'PUT /api/agents/{agent_name}': { body: { soul: 'mine' } },
  'DELETE /api/agents/{agent_name}': {},
  'GET /api/agents/{agent_name}/versions': {},
  'GET /api/agents/{agent_name}/versions/{version}': {},
  'PUT /api/agents/{agent_name}/sharing': { body: { shared: true } },
  'GET /api/agents/{agent_name}/export': {},
};

// Creates the agents that people define, and the job that forgets the deleted ones.
import { type Agents, type AgentsParts, createAgents } from './agents/agents.ts';
import type { JobTaker } from './upkeep/upkeep.ts';

/** Deleted agents are kept for weeks: an hour more is nothing. */
const FORGET_MS = 3_600_000;

export function createAgentsRoom(parts: AgentsParts & { readonly upkeep: JobTaker }): Agents {
  const agents = createAgents(parts);
  parts.upkeep.add({ name: 'deleted agents', everyMs: FORGET_MS, look: () => agents.forgetDeleted() });
  return agents;
}

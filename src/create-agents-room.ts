// Creates the agents that people define, and the job that forgets the deleted ones.
import { type Agents, type AgentsParts, createAgents } from './agents/agents.ts';
import type { Upkeep } from './create-thread-room.ts';
import type { Log } from './log.ts';
import { createCatchUp } from './threads/catch-up.ts';

interface AgentsRoom {
  readonly customAgents: Agents;
  readonly upkeep: Upkeep;
}

/** Deleted agents are kept for weeks: an hour more is nothing. */
const FORGET_MS = 3_600_000;

export function createAgentsRoom(parts: AgentsParts & { readonly log: Log }): AgentsRoom {
  const customAgents = createAgents(parts);
  return {
    customAgents,
    upkeep: createCatchUp({
      next: () => customAgents.forgetDeleted(),
      everyMs: FORGET_MS,
      failed: 'deleted agents stay for now; trying again later',
      log: parts.log,
    }),
  };
}

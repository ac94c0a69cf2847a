// Agents that people define. Each change is a version, which never changes again.

/** What defines an agent. `null` means nothing is chosen, so the agent gets the defaults of all agents. */
export interface AgentDefinition {
  readonly description: string;
  readonly model: string | null;
  readonly toolGroups: readonly string[] | null;
  readonly skills: readonly string[] | null;
  readonly soul: string;
}

export interface AgentVersion extends AgentDefinition {
  /** Counts from 1, without gaps. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Times are epoch milliseconds. */
export interface AgentRecord extends AgentDefinition {
  /** An agent that gets the same name later has a different id. */
  readonly agentId: string;
  readonly name: string;
  readonly version: number;
  readonly isShared: boolean;
  /** True when the caller's owner owns the agent. Other agents are read-only. */
  readonly isOwn: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewAgent {
  readonly agentId: string;
  readonly name: string;
  /** Oldest first, at least one. They are numbered from 1. */
  readonly versions: readonly Omit<AgentVersion, 'version'>[];
}

/** The version of an agent with which a run works. */
export interface AgentPin {
  readonly agentId: string;
  readonly version: number;
}

/**
 * Agents of one owner, and the agents that others share. The owner's agent hides a shared one of the same
 * name.
 */
export interface AgentRepository {
  /** Returns the agents sorted by name. */
  list(): Promise<readonly AgentRecord[]>;
  find(name: string): Promise<AgentRecord | undefined>;
  /** Returns whether the owner had an agent of this name and deleted it not long ago. */
  wasDeleted(name: string): Promise<boolean>;
  /** Creates the agent. `too_many`: the owner already has `most` agents. */
  create(agent: NewAgent, most: number): Promise<AgentRecord | 'exists' | 'too_many'>;
  /**
   * Adds a version, unless nothing changes. The newest `kept` versions stay. This method and the ones below,
   * except `versions`, change only the owner's agents.
   */
  update(
    name: string,
    change: { readonly definition: AgentDefinition; readonly now: number; readonly kept: number },
  ): Promise<AgentRecord | undefined>;
  /** Shares the agent, or stops sharing it. `taken`: another agent of this name is shared. */
  share(name: string, isShared: boolean): Promise<AgentRecord | 'absent' | 'taken'>;
  /**
   * Deletes the agent. Its versions stay for the runs that use them. The last `kept` deleted agents stay.
   * Returns `false` when there is no such agent.
   */
  delete(name: string, deletion: { readonly now: number; readonly kept: number }): Promise<boolean>;
  /** Returns the versions of an agent that the owner sees, newest first. */
  versions(agentId: string): Promise<readonly AgentVersion[]>;
}

/**
 * Versions of the agents of all owners, for the service itself. A run was allowed to use its agent when it
 * was accepted.
 */
export interface AgentVersions {
  get(pin: AgentPin): Promise<(AgentVersion & { readonly name: string }) | undefined>;
  /**
   * Removes up to `limit` agents that were deleted before `before`, with their versions. Returns their
   * number.
   */
  removeDeleted(claim: { readonly before: number; readonly limit: number }): Promise<number>;
}

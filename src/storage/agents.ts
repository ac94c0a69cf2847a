// Agents that people define. Each change is a version, which never changes again.

/** What makes an agent. `null`: nothing is chosen, so the agent gets what everybody gets. */
export interface AgentDefinition {
  readonly description: string;
  readonly model: string | null;
  readonly toolGroups: readonly string[] | null;
  readonly skills: readonly string[] | null;
  readonly soul: string;
}

export interface AgentVersion extends AgentDefinition {
  /** From 1 on, without holes. */
  readonly version: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

/** Times are epoch milliseconds. */
export interface AgentRecord extends AgentDefinition {
  /** Another agent that gets the name later has another id. */
  readonly agentId: string;
  readonly name: string;
  readonly version: number;
  readonly isShared: boolean;
  /** Whoever asks owns it; another one is read only. */
  readonly isOwn: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface NewAgent {
  readonly agentId: string;
  readonly name: string;
  /** Oldest first, at least one; they are numbered from 1 on. */
  readonly versions: readonly Omit<AgentVersion, 'version'>[];
}

/** The version of an agent with which a run works. */
export interface AgentPin {
  readonly agentId: string;
  readonly version: number;
}

/** Agents of one owner, and those that others share. An own agent hides a shared one of its name. */
export interface AgentRepository {
  /** Sorted by name. */
  list(): Promise<readonly AgentRecord[]>;
  find(name: string): Promise<AgentRecord | undefined>;
  /** Whether the owner had an agent of this name and deleted it not long ago. */
  wasDeleted(name: string): Promise<boolean>;
  /** `too_many`: the owner has `most` agents already. */
  create(agent: NewAgent, most: number): Promise<AgentRecord | 'exists' | 'too_many'>;
  /**
   * Adds a version, unless nothing changes; of the versions the newest `kept` stay. Of own agents only; so are the following.
   */
  update(
    name: string,
    change: { readonly definition: AgentDefinition; readonly now: number; readonly kept: number },
  ): Promise<AgentRecord | undefined>;
  /** `taken`: somebody shares another agent of this name. */
  share(name: string, isShared: boolean): Promise<AgentRecord | 'absent' | 'taken'>;
  /** Its versions stay for the runs that work with them; of deleted agents the last `kept` stay. `false`: there is none. */
  delete(name: string, deletion: { readonly now: number; readonly kept: number }): Promise<boolean>;
  /** Of an agent that the owner sees, newest first. */
  versions(agentId: string): Promise<readonly AgentVersion[]>;
}

/** Versions of the agents of all owners, for the service itself: what a run works with was allowed when it was accepted. */
export interface AgentVersions {
  get(pin: AgentPin): Promise<(AgentVersion & { readonly name: string }) | undefined>;
  /** Removes some agents that were deleted before, with their versions; how many. */
  removeDeleted(claim: { readonly before: number; readonly limit: number }): Promise<number>;
}

// The agents that a run can name, and what a client sees of each as an "assistant" of the SDK.
import { v5 } from 'uuid';

export interface Assistant {
  /** What runs are recorded under, and the id on the wire. */
  readonly name: string;
  /** The id that servers of this field derive from the name; clients that kept it may go on using it. */
  readonly derivedId: string;
  readonly description: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface Assistants {
  list(): readonly Assistant[];
  /** By name or derived id; `undefined` when there is none. */
  find(nameOrId: string): Assistant | undefined;
}

interface NamedAgent {
  readonly name: string;
  readonly description: string;
}

/** The namespace in which servers of this field number their agents. */
const AGENTS = '6ba7b821-9dad-11d1-80b4-00c04fd430c8';

export function createAssistants(agents: readonly NamedAgent[], now: () => number): Assistants {
  const createdAt = now();
  const list = agents.map((agent) => ({ ...agent, derivedId: v5(agent.name, AGENTS), createdAt }));
  return {
    list: () => list,
    find: (nameOrId) =>
      list.find(({ name, derivedId }) => name === nameOrId || derivedId === nameOrId.toLowerCase()),
  };
}

// Where the tools of a run come from that are not the service's own: what its user has, such as skills and tool servers.
import type { AgentProfile } from '../agents/agents.ts';
import type { Tool } from '../tools/tool.ts';
import type { Middleware } from './middleware.ts';

interface SourceRun {
  readonly userId: string;
  readonly threadId: string;
  /** The name of the agent that runs. */
  readonly agent: string;
  /** What the agent is limited to; absent: nothing. */
  readonly profile?: Pick<AgentProfile, 'toolGroups' | 'skills'> | undefined;
  /** Absent: as elsewhere (`RunOptions.memory`). */
  readonly memory?: boolean | undefined;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** What a source gives to all agents of one run. */
export interface SourceParts {
  /** A tool with the name of another one is left out: the service's own come first, then the sources in their order. */
  readonly tools: readonly Tool[];
  /** Behind the system prompt, or an empty string. The same text as long as nothing changed: providers cache it. */
  readonly prompt: string;
  /** What sub-agents have in its place. Absent: the same. */
  readonly subagentPrompt?: string;
  readonly middleware: readonly Middleware[];
  /** What sub-agents have in its place. Absent: the same. */
  readonly subagentMiddleware?: readonly Middleware[];
  /** What a sub-agent has that is told of these skills alone. Absent: what the others have. */
  readonly withSkills?: (names: readonly string[]) => SubagentSkills;
}

interface SubagentSkills {
  readonly prompt: string;
  readonly middleware: readonly Middleware[];
}

/** Adding one does not touch the loop. */
export interface ToolSource {
  /** For the log. */
  readonly name: string;
  /**
   * Asked once when a run is set up, and again when it is taken up elsewhere. Answers what is known within milliseconds,
   * and never waits for a server that does not answer. When it rejects, the run goes on without it.
   */
  forRun(run: SourceRun): Promise<SourceParts>;
}

// Sources of a run's tools besides the service's own: what its user has, such as skills and tool servers.
import type { AgentProfile } from '../agents/agents.ts';
import type { Tool } from '../tools/tool.ts';
import type { Middleware } from './middleware.ts';

interface SourceRun {
  readonly userId: string;
  readonly threadId: string;
  readonly agent: string;
  /** The limits of the agent; absent: none. */
  readonly profile?: Pick<AgentProfile, 'toolGroups' | 'skills'> | undefined;
  /** Absent: as set for the service and the thread (`RunOptions.memory`). */
  readonly memory?: boolean | undefined;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

export interface SourceParts {
  /** Of tools with one name, the first counts: the service's own come first, then the sources in order. */
  readonly tools: readonly Tool[];
  /** Appended to the system prompt, or empty. Stable while nothing changes, because providers cache it. */
  readonly prompt: string;
  /** Replaces `prompt` for sub-agents. Absent: the same. */
  readonly subagentPrompt?: string;
  readonly middleware: readonly Middleware[];
  /** Replaces `middleware` for sub-agents. Absent: the same. */
  readonly subagentMiddleware?: readonly Middleware[];
  /** For sub-agents that work with these skills alone. Absent: as for other sub-agents. */
  readonly withSkills?: (names: readonly string[]) => Pick<SourceParts, 'prompt' | 'middleware'>;
}

export const NOTHING_GIVEN: SourceParts = { tools: [], prompt: '', middleware: [] };

/** Adding a source does not touch the loop. */
export interface ToolSource {
  /** For the log. */
  readonly name: string;
  /**
   * Called once when a run is set up, and again when it is taken over. Returns what is known within
   * milliseconds, and never waits for a server that does not respond. When it rejects, the run continues
   * without the source.
   */
  forRun(run: SourceRun): Promise<SourceParts>;
}

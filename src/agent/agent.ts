// The agent port: state in, events out, and why it stopped. An agent persists nothing and knows no storage.
import type { AgentPin } from '../agents/agents.ts';
import type { Json } from '../messages/message.ts';
import type { ThreadState } from '../messages/thread-state.ts';
import type { AgentStop, Emit, SubagentOutcome, ToolEnd } from './agent-event.ts';
import type { CallBudget } from './call-budget.ts';

/** The nodes that a run can begin at or stop before. */
export type AgentNode = 'model' | 'tools';

/** Node names, or `*` for every node. */
export type NodeSelection = '*' | readonly string[];

/** Choices of one run, parsed once from the request (docs/contract/runs.md#the-request). */
export interface RunOptions {
  /** Absent: the default model. */
  readonly modelName?: string;
  readonly thinking: boolean;
  readonly planMode: boolean;
  /** Whether the agent may hand tasks to sub-agents. Absent: as configured. */
  readonly subagents?: boolean;
  /** Whether the run reads and adds to what is remembered of the person. Absent: as elsewhere. */
  readonly memory?: boolean;
  /** Steps after which an agent that has not answered is stopped, 1 to 1,000. One that is asked again has as many again. */
  readonly recursionLimit: number;
  /** Nodes that the run stops before or after, waiting for the person (SDK: interrupt_before, interrupt_after). */
  readonly interruptBefore: NodeSelection;
  readonly interruptAfter: NodeSelection;
}

/** What was begun of a step that did not come to its end. */
export interface BegunStep {
  readonly toolEnds: readonly ToolEnd[];
  /** The message that was being written; the next model step writes it again under the same id. */
  readonly messageId?: string;
  /** Ids of the tool calls that had begun. */
  readonly startedCallIds: ReadonlySet<string>;
}

/** How far a sub-agent had come whose call has no result yet. */
export interface SubagentProgress {
  readonly state: ThreadState;
  /** The number that its next step gets. */
  readonly step: number;
  /** Absent: it had nothing left to do. */
  readonly next: AgentNode | undefined;
  readonly begun: BegunStep;
  /** Absent: it has not ended. */
  readonly outcome: SubagentOutcome | undefined;
}

/** What an earlier attempt of the same run, or the run that asked the person, left behind after its last finished step. */
export interface UnfinishedStep extends BegunStep {
  /** By namespace, at any depth. */
  readonly subagents: ReadonlyMap<string, SubagentProgress>;
}

/** What the person answered, by the id of the interrupt. */
export type Answers = ReadonlyMap<string, Json>;

/** The hooks with which a run goes on. One that changed the state is a step of its own and does not run again. */
export type FirstHooks =
  | { readonly kind: 'due' }
  /** The reply exists, so the hooks after it are due; they may ask the model again. */
  | { readonly kind: 'answered' }
  /** The last step was that of this node: if it is a first hook, those after it are due. */
  | { readonly kind: 'after'; readonly node: string };

/** Where a run begins. */
type AgentStart =
  /** New input is in the state: the first hooks, then the model. */
  | { readonly kind: 'input' }
  /** At the node that an earlier run stopped before. */
  | {
      readonly kind: 'continue';
      readonly node: AgentNode;
      readonly answers: Answers;
      readonly unfinished: UnfinishedStep;
    }
  /** Where a lost attempt of the same run stood. */
  | {
      readonly kind: 'recover';
      readonly firstHooks: FirstHooks;
      readonly node: AgentNode;
      readonly answers: Answers;
      readonly unfinished: UnfinishedStep;
    };

export interface AgentInput {
  /** Whose files it works with. */
  readonly threadId: string;
  readonly runId: string;
  readonly userId: string;
  /** Empty for the lead agent (see `SubagentReport`). */
  readonly namespace: string;
  readonly state: ThreadState;
  /** The number that the next step gets. */
  readonly step: number;
  readonly start: AgentStart;
  readonly options: RunOptions;
  readonly signal: AbortSignal;
}

export interface Agent {
  /**
   * Runs until the model stops, a limit is reached or the signal aborts, and returns why. What goes wrong is an event or
   * the reason; it rejects for what `emit` throws, and for defects. The caller may hold every event back as long as it likes.
   */
  run(input: AgentInput, emit: Emit): Promise<AgentStop>;
}

/** Why a run cannot be set up: a sentence for a person. */
export interface SetUpProblem {
  readonly problem: string;
}

/** A task that goes on behind the run that gave it. */
export interface BackgroundOrder {
  /** The kind of sub-agent. */
  readonly subagent: string;
}

/** The run that an agent is made for. */
export interface AgentOrder {
  readonly assistantId: string;
  /** Which version of an agent that somebody defined; absent for the lead agent. */
  readonly agent?: AgentPin | undefined;
  readonly options: RunOptions;
  /** The run is the work of a sub-agent in the background; absent: of the lead agent. */
  readonly task?: BackgroundOrder | undefined;
  readonly userId: string;
  /** Whose files it works with. */
  readonly threadId: string;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
  /** Tokens that the run has spent so far, over all attempts. */
  readonly runTokens: () => number;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** Makes the agent of one run, or says why it cannot. */
export type AgentFactory = (order: AgentOrder) => Promise<Agent | SetUpProblem>;

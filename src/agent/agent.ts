// The agent port: state in, events and a stop reason out. An agent persists nothing and knows no storage.
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
  /** Whether the run uses the memory about the person. Absent: as set for the service and the thread. */
  readonly memory?: boolean;
  /** Steps after which an agent without a reply is stopped, 1 to 1,000. Asked again, it has as many again. */
  readonly recursionLimit: number;
  /** Nodes before or after which the run waits for the person (SDK: interrupt_before, interrupt_after). */
  readonly interruptBefore: NodeSelection;
  readonly interruptAfter: NodeSelection;
}

/** The begun part of a step that did not end. */
export interface BegunStep {
  readonly toolEnds: readonly ToolEnd[];
  /** The message that was being written; the next model step writes it again under the same id. */
  readonly messageId?: string;
  /** Ids of the tool calls that had begun. */
  readonly startedCallIds: ReadonlySet<string>;
}

/** The progress of a sub-agent whose call has no result yet. */
export interface SubagentProgress {
  readonly state: ThreadState;
  /** The number that its next step gets. */
  readonly step: number;
  /** Absent: the sub-agent had nothing left to do. */
  readonly next: AgentNode | undefined;
  readonly begun: BegunStep;
  /** Absent: the sub-agent has not ended. */
  readonly outcome: SubagentOutcome | undefined;
}

/** What an earlier attempt, or the run that asked the person, left after its last finished step. */
export interface UnfinishedStep extends BegunStep {
  /** By namespace, at any depth. */
  readonly subagents: ReadonlyMap<string, SubagentProgress>;
}

/** The person's answers, by interrupt id. */
export type Answers = ReadonlyMap<string, Json>;

/** The hooks with which a run resumes. A hook that changed the state is a step, and does not run again. */
export type FirstHooks =
  | { readonly kind: 'due' }
  /** The reply exists, so the hooks after it are due; they may ask the model again. */
  | { readonly kind: 'answered' }
  /** The last step was that of this node. If that is a first hook, the hooks after it are due. */
  | { readonly kind: 'after'; readonly node: string };

type AgentStart =
  /** New input is in the state: the first hooks, then the model. */
  | { readonly kind: 'input' }
  /** Resumes at the node before which an earlier run stopped. */
  | (ResumedStep & { readonly kind: 'continue' })
  /** Resumes at the position of a lost attempt of the same run. */
  | (ResumedStep & { readonly kind: 'recover'; readonly firstHooks: FirstHooks });

interface ResumedStep {
  readonly node: AgentNode;
  readonly answers: Answers;
  readonly unfinished: UnfinishedStep;
}

export interface AgentInput {
  /** The thread whose files the agent works with. */
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
   * Runs until the model stops, a limit is reached or the signal aborts, and returns why. Failures are
   * reported as events or as the reason. Rejects only for what `emit` throws and for defects. The caller may
   * hold back every event as long as it likes.
   */
  run(input: AgentInput, emit: Emit): Promise<AgentStop>;
}

/** Why a run cannot be set up: a sentence for a person. */
export interface SetUpProblem {
  readonly problem: string;
}

/** A task that continues after the run that gave it, and the kind of sub-agent for it. */
export interface BackgroundOrder {
  readonly subagent: string;
}

export interface AgentOrder {
  readonly assistantId: string;
  /** The version of an agent that a person defined; absent for the lead agent. */
  readonly agent?: AgentPin | undefined;
  readonly options: RunOptions;
  /** Set when the run is a background task of a sub-agent; absent for the lead agent. */
  readonly task?: BackgroundOrder | undefined;
  readonly userId: string;
  /** The thread whose files the agent works with. */
  readonly threadId: string;
  /** Absent: nothing is limited. */
  readonly budget?: CallBudget | undefined;
  /** Tokens that the run has spent so far, over all attempts. */
  readonly runTokens: () => number;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
}

/** Makes the agent of one run, or returns why it cannot. */
export type AgentFactory = (order: AgentOrder) => Promise<Agent | SetUpProblem>;

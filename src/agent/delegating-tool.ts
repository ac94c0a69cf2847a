// A tool that does its work as an agent inside the run. What the agent reports is part of the run.
import type { JsonObject } from '../messages/message.ts';
import type { ToolSpec } from '../models/model.ts';
import type { Tool, ToolOutcome } from '../tools/tool.ts';
import type { Answers, SubagentProgress, UnfinishedStep } from './agent.ts';
import type { CustomProgress, Emit, SubagentEnd, SubagentReport, SubagentStart } from './agent-event.ts';
import type { HookContext } from './middleware.ts';

export interface DelegationContext extends Omit<HookContext, 'state'> {
  readonly callId: string;
  /** The namespace of the agent that the call begins. */
  readonly namespace: string;
  /** What the agent had done before the run was interrupted; absent when it begins. */
  readonly progress: SubagentProgress | undefined;
  /** Includes the sub-agents inside this agent. */
  readonly subagents: UnfinishedStep['subagents'];
  readonly answers: Answers;
}

export type DelegationEvent = SubagentStart | SubagentReport | SubagentEnd | CustomProgress;

/** Returns the result. Throws `RunInterrupt` when the person must be asked first. */
type Delegation = (context: DelegationContext, emit: Emit<DelegationEvent>) => Promise<ToolOutcome>;

type ParsedDelegation =
  | { readonly ok: true; readonly run: Delegation }
  | { readonly ok: false; readonly problem: string };

export interface DelegatingTool extends ToolSpec {
  /** When run again after a crash with its known progress, it continues where it stopped. */
  readonly effect: 'idempotent';
  /** Checks the arguments. `problem` is a sentence for the model that explains what is wrong. */
  delegate(args: JsonObject): ParsedDelegation;
}

export type AgentTool = Tool | DelegatingTool;

// The request of a run as its row keeps it, so that any process can start the run, or start it again.
import { z } from 'zod';
import type { RunOptions } from '../../agent/agent.ts';
import type { Json, JsonObject, Message } from '../../messages/message.ts';
import type { StateDelta } from '../../messages/thread-state.ts';
import type { AgentPin } from '../../storage/agents.ts';
import {
  type BackgroundWorkplace,
  COMMAND_TARGETS,
  type RunCommand,
  type RunRequest,
} from './run-request.ts';
import { STREAM_MODES, type StreamMode } from './stream-modes.ts';

export interface StoredRequest {
  /** Absent for the lead agent. */
  readonly agent: AgentPin | undefined;
  /** Absent: an agent was asked. */
  readonly task: BackgroundWorkplace | undefined;
  readonly messages: readonly Message[];
  readonly options: RunOptions;
  readonly modes: readonly StreamMode[];
  readonly subgraphs: boolean;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly deleteThread: boolean;
  readonly checkpointId: string | undefined;
  readonly restoreFiles: boolean;
  readonly command: RunCommand | undefined;
  /** The checkpoint whose questions `command.resume` answers; absent with requests of earlier releases. */
  readonly answers: string | undefined;
}

const nodeSelection = z.union([z.literal('*'), z.array(z.string())]).default([]);

const storedSchema = z.object({
  input: z.object({
    messages: z.array(z.custom<Message>((value) => typeof value === 'object' && value !== null)),
  }),
  config: z.object({ recursion_limit: z.int() }),
  agent: z.object({ agent_id: z.string(), version: z.int() }).optional(),
  background_task: z.object({ subagent_type: z.string(), parent_thread_id: z.string() }).optional(),
  model_name: z.string().optional(),
  thinking_enabled: z.boolean(),
  is_plan_mode: z.boolean(),
  subagent_enabled: z.boolean().optional(),
  memory_enabled: z.boolean().optional(),
  stream_mode: z.array(z.enum(STREAM_MODES)),
  stream_subgraphs: z.boolean().default(false),
  on_disconnect: z.enum(['continue', 'cancel']),
  delete_thread: z.boolean(),
  checkpoint_id: z.string().optional(),
  restore_files: z.boolean().default(false),
  interrupt_before: nodeSelection,
  interrupt_after: nodeSelection,
  command: z
    .object({
      resume: z.object({ value: z.json() }).optional(),
      update: z.custom<StateDelta>((value) => typeof value === 'object' && value !== null),
      goto: z.enum(COMMAND_TARGETS).optional(),
    })
    .optional(),
  answers: z.string().optional(),
});

/** What of a request is said elsewhere, or has been made already. */
interface BesideRequest {
  /** The request's messages as the record shows them. */
  readonly messages: readonly Json[];
  /** The checkpoint whose questions it answers. */
  readonly answers: string | undefined;
}

/** The `kwargs` of a run record. Queue views of the SDK read `kwargs.input`. */
export function toKwargs(request: RunRequest, { messages, answers }: BesideRequest): JsonObject {
  const { options, agent, task } = request;
  const kwargs = {
    agent: agent && { agent_id: agent.agentId, version: agent.version },
    background_task: task && { subagent_type: task.subagent, parent_thread_id: task.parentThreadId },
    config: { recursion_limit: options.recursionLimit },
    model_name: options.modelName,
    thinking_enabled: options.thinking,
    is_plan_mode: options.planMode,
    subagent_enabled: options.subagents,
    memory_enabled: options.memory,
    stream_mode: request.modes,
    stream_subgraphs: request.subgraphs,
    on_disconnect: request.onDisconnect,
    delete_thread: request.deleteThread,
    checkpoint_id: request.checkpointId,
    restore_files: request.restoreFiles ? true : undefined,
    interrupt_before: options.interruptBefore,
    interrupt_after: options.interruptAfter,
    command: request.command,
    webhook: request.webhook,
    answers,
  };
  // Without the messages, which may be megabytes.
  return { input: { messages }, ...JSON.parse(JSON.stringify(kwargs)) };
}

/** Reads `kwargs` back. Throws when the row was not written by `toKwargs`. */
export function fromKwargs(kwargs: JsonObject): StoredRequest {
  const stored = storedSchema.parse(kwargs);
  const { background_task: task } = stored;
  return {
    task: task && { subagent: task.subagent_type, parentThreadId: task.parent_thread_id },
    agent: stored.agent && { agentId: stored.agent.agent_id, version: stored.agent.version },
    messages: stored.input.messages,
    options: {
      ...(stored.model_name === undefined ? {} : { modelName: stored.model_name }),
      thinking: stored.thinking_enabled,
      planMode: stored.is_plan_mode,
      ...(stored.subagent_enabled === undefined ? {} : { subagents: stored.subagent_enabled }),
      ...(stored.memory_enabled === undefined ? {} : { memory: stored.memory_enabled }),
      recursionLimit: stored.config.recursion_limit,
      interruptBefore: stored.interrupt_before,
      interruptAfter: stored.interrupt_after,
    },
    modes: stored.stream_mode,
    subgraphs: stored.stream_subgraphs,
    onDisconnect: stored.on_disconnect,
    deleteThread: stored.delete_thread,
    checkpointId: stored.checkpoint_id,
    restoreFiles: stored.restore_files,
    command: toCommand(stored.command),
    answers: stored.answers,
  };
}

/** Whether the row is that of a task in the background. */
export function isTaskRun({ kwargs }: { readonly kwargs: JsonObject }): boolean {
  return kwargs.background_task !== undefined;
}

/** Leaves keys out that are not there, as the type wants it. */
function toCommand(stored: z.output<typeof storedSchema>['command']): RunCommand | undefined {
  if (stored === undefined) return undefined;
  const { resume, update, goto } = stored;
  return { update, ...(resume === undefined ? {} : { resume }), ...(goto === undefined ? {} : { goto }) };
}

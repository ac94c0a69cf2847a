// The request of a run, as its row stores it and clients are shown it (`kwargs`). Any process can start the
// run from it, or start it again.
import { z } from 'zod';
import type { BackgroundOrder, RunOptions } from '../../agent/agent.ts';
import type { Json, JsonObject, Message } from '../../messages/message.ts';
import type { StateDelta } from '../../messages/thread-state.ts';
import type { AgentPin } from '../../storage/agents.ts';
import type { MultitaskStrategy, RunRecord } from '../../storage/runs.ts';
import { STREAM_MODES, type StreamMode } from './stream-modes.ts';

/** The part of a request that is stored in the row. */
export interface StoredRequest {
  /** The version of an agent defined by a user, chosen at admission; absent for the lead agent. */
  readonly agent?: AgentPin | undefined;
  /** The background task of another thread that a sub-agent does in this run; absent for other runs. */
  readonly task?: BackgroundWorkplace | undefined;
  /** Messages with their final ids; empty when the run continues from the current state. */
  readonly messages: readonly Message[];
  readonly options: RunOptions;
  readonly modes: readonly StreamMode[];
  readonly subgraphs: boolean;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly deleteThread: boolean;
  readonly checkpointId: string | undefined;
  /** True when a branch begins with the files of its checkpoint. */
  readonly restoreFiles: boolean;
  readonly command: RunCommand | undefined;
  /** The address that is notified of the end. */
  readonly webhook: string | undefined;
  /** The checkpoint whose questions `command.resume` answers; absent in requests of earlier releases. */
  readonly answers?: string | undefined;
}

/** A request on arrival, with fields that only count until admission or have columns of their own. */
export interface RunRequest extends StoredRequest {
  readonly assistantId: string;
  /** The options that the request itself sets. The others are defaults. */
  readonly chosen: AgentChoices;
  readonly metadata: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly createThread: boolean;
  readonly followUpToRunId: string | undefined;
  /** Milliseconds after which the run may start. */
  readonly delayMs: number;
  /** The same key from the same user means the same run (header `Idempotency-Key`). */
  readonly idempotencyKey: string | undefined;
}

/** A background task: the kind of sub-agent that does it, and the thread whose files it uses. */
interface BackgroundWorkplace extends BackgroundOrder {
  readonly parentThreadId: string;
}

/** How a waiting run continues (SDK: Command). */
export interface RunCommand {
  /** The person's answer: one value, or values by the id of the interrupt. Absent without an answer. */
  readonly resume?: { readonly value: Json } | undefined;
  readonly update: StateDelta;
  /** Absent: the node at which the run stopped. */
  readonly goto?: (typeof COMMAND_TARGETS)[number] | undefined;
}

export const COMMAND_TARGETS = ['model', 'tools', '__end__'] as const;

/** How the agent works. Absent choices are the defaults, or those of the run that this one continues. */
export type AgentChoices = Partial<Omit<RunOptions, 'recursionLimit' | 'interruptBefore' | 'interruptAfter'>>;

export const AS_USUAL = { thinking: true, planMode: false } as const;

const storedChoices = {
  model_name: z.string().optional(),
  thinking_enabled: z.boolean().optional(),
  is_plan_mode: z.boolean().optional(),
  subagent_enabled: z.boolean().optional(),
  memory_enabled: z.boolean().optional(),
};

/** Converts the choices from their names on the wire and in rows. */
export function toAgentChoices(named: z.output<z.ZodObject<typeof storedChoices>>): AgentChoices {
  const { model_name: modelName, thinking_enabled, is_plan_mode, subagent_enabled, memory_enabled } = named;
  return {
    ...(modelName === undefined || modelName === '' ? {} : { modelName }),
    ...(thinking_enabled === undefined ? {} : { thinking: thinking_enabled }),
    ...(is_plan_mode === undefined ? {} : { planMode: is_plan_mode }),
    ...(subagent_enabled === undefined ? {} : { subagents: subagent_enabled }),
    ...(memory_enabled === undefined ? {} : { memory: memory_enabled }),
  };
}

const nodeSelection = z.union([z.literal('*'), z.array(z.string()).readonly()]).default([]);

/** Queue views of the SDK read `input`. Requests of earlier releases lack some of the fields. */
const storedSchema = z.object({
  input: z.object({
    messages: z.array(z.custom<Message>((value) => typeof value === 'object' && value !== null)),
  }),
  agent: z.object({ agent_id: z.string(), version: z.int() }).optional(),
  background_task: z.object({ subagent_type: z.string(), parent_thread_id: z.string() }).optional(),
  config: z.object({ recursion_limit: z.int() }),
  ...storedChoices,
  stream_mode: z.array(z.enum(STREAM_MODES)).readonly(),
  stream_subgraphs: z.boolean().default(false),
  on_disconnect: z.enum(['continue', 'cancel']),
  delete_thread: z.boolean(),
  checkpoint_id: z.string().optional(),
  restore_files: z.boolean().default(false),
  interrupt_before: nodeSelection,
  interrupt_after: nodeSelection,
  command: z
    .object({
      resume: z.object({ value: z.custom<Json>((value) => value !== undefined) }).optional(),
      update: z.custom<StateDelta>((value) => typeof value === 'object' && value !== null),
      goto: z.enum(COMMAND_TARGETS).optional(),
    })
    .optional(),
  webhook: z.string().optional(),
  answers: z.string().optional(),
});

/** Returns the `kwargs` of a run record. `messages` are the request's as the record shows them. */
export function toKwargs(request: StoredRequest, messages: readonly Json[]): JsonObject {
  const { options, agent, task } = request;
  const kwargs: Omit<z.input<typeof storedSchema>, 'input'> = {
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
    answers: request.answers,
  };
  // Without the messages, which may be megabytes long.
  return { input: { messages }, ...JSON.parse(JSON.stringify(kwargs)) };
}

/** Reads `kwargs` back. Throws when `toKwargs` did not write the row. */
export function fromKwargs(kwargs: JsonObject): StoredRequest {
  const stored = storedSchema.parse(kwargs);
  const { agent, background_task: task } = stored;
  return {
    agent: agent && { agentId: agent.agent_id, version: agent.version },
    task: task && { subagent: task.subagent_type, parentThreadId: task.parent_thread_id },
    messages: stored.input.messages,
    options: {
      ...AS_USUAL,
      ...toAgentChoices(stored),
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
    command: stored.command,
    webhook: stored.webhook,
    answers: stored.answers,
  };
}

type RunRow = Pick<RunRecord, 'kwargs'>;

// Also for runs out of packages, whose `kwargs` may be anything.

/** True when the row is that of a background task. */
export const isTaskRun = ({ kwargs }: RunRow): boolean => kwargs.background_task !== undefined;
/** True when an address is notified of the end. */
export const hasWebhook = ({ kwargs }: RunRow): boolean => typeof kwargs.webhook === 'string';
/** True when the run ends when its reader leaves. */
export const endsWithReader = ({ kwargs }: RunRow): boolean => kwargs.on_disconnect === 'cancel';
/** True when the thread was made for the run, and is deleted after it. */
export const takesThreadAlong = ({ kwargs }: RunRow): boolean => kwargs.delete_thread === true;

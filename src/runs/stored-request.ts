// The request of a run as its row keeps it, so that any process can start the run, or start it again.
import { z } from 'zod';
import type { RunOptions } from '../agent/agent.ts';
import type { JsonObject, Message } from '../messages/message.ts';
import { roleOf } from '../messages/message.ts';
import type { RunRequest } from './run-request.ts';
import { STREAM_MODES, type StreamMode } from './stream-modes.ts';

export interface StoredRequest {
  readonly messages: readonly Message[];
  readonly options: RunOptions;
  readonly modes: readonly StreamMode[];
  readonly onDisconnect: 'continue' | 'cancel';
  readonly deleteThread: boolean;
  readonly checkpointId: string | undefined;
}

const storedSchema = z.object({
  input: z.object({
    messages: z.array(z.custom<Message>((value) => typeof value === 'object' && value !== null)),
  }),
  config: z.object({ recursion_limit: z.int() }),
  model_name: z.string().optional(),
  thinking_enabled: z.boolean(),
  is_plan_mode: z.boolean(),
  stream_mode: z.array(z.enum(STREAM_MODES)),
  on_disconnect: z.enum(['continue', 'cancel']),
  delete_thread: z.boolean(),
  checkpoint_id: z.string().optional(),
});

/** The `kwargs` of a run record. Queue views of the SDK read `kwargs.input`. */
export function toKwargs(request: RunRequest): JsonObject {
  const { options } = request;
  const kwargs = {
    input: { messages: request.messages.map((message) => ({ ...message, role: roleOf(message.type) })) },
    config: { recursion_limit: options.recursionLimit },
    model_name: options.modelName,
    thinking_enabled: options.thinking,
    is_plan_mode: options.planMode,
    stream_mode: request.modes,
    stream_subgraphs: request.subgraphs,
    on_disconnect: request.onDisconnect,
    delete_thread: request.deleteThread,
    checkpoint_id: request.checkpointId,
  };
  return JSON.parse(JSON.stringify(kwargs));
}

/** Reads `kwargs` back. Throws when the row was not written by `toKwargs`. */
export function fromKwargs(kwargs: JsonObject): StoredRequest {
  const stored = storedSchema.parse(kwargs);
  return {
    messages: stored.input.messages,
    options: {
      ...(stored.model_name === undefined ? {} : { modelName: stored.model_name }),
      thinking: stored.thinking_enabled,
      planMode: stored.is_plan_mode,
      recursionLimit: stored.config.recursion_limit,
    },
    modes: stored.stream_mode,
    onDisconnect: stored.on_disconnect,
    deleteThread: stored.delete_thread,
    checkpointId: stored.checkpoint_id,
  };
}

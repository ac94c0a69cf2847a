// What a client asks for when it creates a run, parsed once (contract, Run request body).
import { z } from 'zod';
import type { RunOptions } from '../agent/agent.ts';
import { type ServiceError, validationFailed } from '../errors.ts';
import {
  type AiMessage,
  aiMessage,
  type ContentBlock,
  type HumanMessage,
  humanMessage,
  type JsonObject,
  type Message,
  type RemoveMessage,
  type SystemMessage,
  type ToolCall,
  toolMessage,
} from '../messages/message.ts';
import type { MultitaskStrategy } from '../storage/runs.ts';
import { STREAM_MODES, type StreamMode } from './stream-modes.ts';

const MAX_RECURSION_LIMIT = 1_000;
const MAX_INPUT_MESSAGES = 200;

const jsonObject = z.record(z.string(), z.json());
const absentWhenNull = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null ? undefined : value), schema.optional());

const contentBlock = z.custom<ContentBlock>(
  (value) => z.looseObject({ type: z.string() }).safeParse(value).success,
  'a content block is an object with a type',
);

const toolCall = z.looseObject({ id: z.string(), name: z.string(), args: jsonObject });

const inputMessage = z.looseObject({
  type: absentWhenNull(z.string()),
  role: absentWhenNull(z.string()),
  content: absentWhenNull(z.union([z.string(), z.array(contentBlock)])),
  id: absentWhenNull(z.string().min(1).max(128)),
  name: absentWhenNull(z.string()),
  additional_kwargs: absentWhenNull(jsonObject),
  tool_call_id: absentWhenNull(z.string()),
  tool_calls: absentWhenNull(z.array(toolCall)),
});

const streamMode = z.enum(STREAM_MODES);

/** The body of every run-creating route. Unknown keys are ignored; `null` counts as absent. */
export const runBodySchema = z.object({
  assistant_id: absentWhenNull(z.string().min(1).max(128)),
  input: absentWhenNull(
    z.looseObject({ messages: absentWhenNull(z.array(inputMessage).max(MAX_INPUT_MESSAGES)) }),
  ),
  config: absentWhenNull(
    z.looseObject({
      recursion_limit: absentWhenNull(z.int().min(1)),
      configurable: absentWhenNull(jsonObject),
    }),
  ),
  context: absentWhenNull(jsonObject),
  metadata: absentWhenNull(jsonObject),
  stream_mode: absentWhenNull(z.union([streamMode, z.array(streamMode).max(STREAM_MODES.length * 2)])),
  stream_subgraphs: absentWhenNull(z.boolean()),
  multitask_strategy: absentWhenNull(z.enum(['reject', 'interrupt', 'rollback', 'enqueue'])),
  on_disconnect: absentWhenNull(z.enum(['continue', 'cancel'])),
  on_completion: absentWhenNull(z.string()),
  if_not_exists: absentWhenNull(z.enum(['create', 'reject'])),
  follow_up_to_run_id: absentWhenNull(z.string().min(1).max(128)),
  checkpoint_id: absentWhenNull(z.string().min(1).max(128)),
  checkpoint: absentWhenNull(z.looseObject({ checkpoint_id: absentWhenNull(z.string().min(1).max(128)) })),
});

export type RunBody = z.output<typeof runBodySchema>;

export interface RunRequest {
  readonly assistantId: string;
  /** Messages with their final ids; empty when the run goes on from the state as it is. */
  readonly messages: readonly Message[];
  readonly options: RunOptions;
  readonly modes: readonly StreamMode[];
  readonly subgraphs: boolean;
  readonly metadata: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly createThread: boolean;
  readonly deleteThread: boolean;
  readonly followUpToRunId: string | undefined;
  readonly checkpointId: string | undefined;
}

/** What differs between the two route families. */
export interface RunDefaults {
  readonly recursionLimit: number;
  readonly multitaskStrategy: MultitaskStrategy;
}

/** Turns a parsed body into a request; throws `validation_failed` for messages that are none. */
export function toRunRequest(body: RunBody, defaults: RunDefaults, newId: () => string): RunRequest {
  return {
    assistantId: body.assistant_id ?? 'lead_agent',
    messages: (body.input?.messages ?? []).map((message, index) => toMessage(message, index, newId)),
    options: toRunOptions(body, defaults),
    modes: toStreamModes(body.stream_mode),
    subgraphs: body.stream_subgraphs ?? false,
    metadata: body.metadata ?? {},
    multitaskStrategy: body.multitask_strategy ?? defaults.multitaskStrategy,
    onDisconnect: body.on_disconnect ?? 'continue',
    createThread: body.if_not_exists === 'create',
    deleteThread: body.on_completion === 'delete',
    followUpToRunId: body.follow_up_to_run_id,
    checkpointId: body.checkpoint_id ?? body.checkpoint?.checkpoint_id,
  };
}

/** An empty list means `values` (decisions, section 4). */
function toStreamModes(modes: StreamMode | readonly StreamMode[] | undefined): readonly StreamMode[] {
  const list = typeof modes === 'string' ? [modes] : (modes ?? []);
  return list.length === 0 ? ['values'] : [...new Set(list)];
}

const runChoices = z.object({
  model_name: absentWhenNull(z.string().max(128)),
  thinking_enabled: absentWhenNull(z.boolean()),
  is_plan_mode: absentWhenNull(z.boolean()),
});

function toRunOptions(body: RunBody, defaults: RunDefaults): RunOptions {
  const parsed = runChoices.safeParse({ ...body.config?.configurable, ...body.context });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw validationFailed(
      ['body', 'config', 'configurable', ...pathOf(issue)],
      issue?.message ?? 'not valid',
    );
  }
  const { model_name: modelName, thinking_enabled, is_plan_mode } = parsed.data;
  const recursionLimit = Math.min(
    body.config?.recursion_limit ?? defaults.recursionLimit,
    MAX_RECURSION_LIMIT,
  );
  return {
    ...(modelName === undefined || modelName === '' ? {} : { modelName }),
    thinking: thinking_enabled ?? true,
    planMode: is_plan_mode ?? false,
    recursionLimit,
  };
}

function pathOf(issue: z.core.$ZodIssue | undefined): (string | number)[] {
  return (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
}

const removeMessage = z.object({ type: z.literal('remove'), id: z.string().min(1).max(128) });

/** Messages of a state update: one or a list, removals included. Throws `validation_failed`. */
export function toInputMessages(
  messages: unknown,
  newId: () => string,
): readonly (Message | RemoveMessage)[] {
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [messages];
  return list.map((message, index) => {
    const removal = removeMessage.safeParse(message);
    if (removal.success) return removal.data;
    const parsed = inputMessage.safeParse(message);
    if (!parsed.success) throw badMessage(index, parsed.error.issues[0]?.message ?? 'not a message');
    return toMessage(parsed.data, index, newId);
  });
}

type InputMessage = z.output<typeof inputMessage>;

const TYPE_OF_ROLE = new Map<string, Message['type']>([
  ['user', 'human'],
  ['human', 'human'],
  ['humanmessagechunk', 'human'],
  ['assistant', 'ai'],
  ['ai', 'ai'],
  ['aimessagechunk', 'ai'],
  ['system', 'system'],
  ['developer', 'system'],
  ['tool', 'tool'],
]);

function toMessage(message: InputMessage, index: number, newId: () => string): Message {
  const type = TYPE_OF_ROLE.get((message.type ?? message.role ?? '').toLowerCase());
  if (type === undefined) throw badMessage(index, 'role must be one of user, assistant, system, tool');
  if (message.content === undefined) throw badMessage(index, 'content is missing');
  const id = message.id ?? newId();
  const fields = { name: message.name ?? null, additional_kwargs: message.additional_kwargs ?? {} };
  switch (type) {
    case 'human':
      return humanMessage(id, message.content, fields) satisfies HumanMessage;
    case 'system':
      return { ...humanMessage(id, message.content, fields), type: 'system' } satisfies SystemMessage;
    case 'ai':
      return aiMessage(id, message.content, {
        ...fields,
        tool_calls: toToolCalls(message),
      }) satisfies AiMessage;
    case 'tool': {
      if (message.tool_call_id === undefined) throw badMessage(index, 'tool_call_id is missing');
      const call = { id: message.tool_call_id, name: message.name ?? 'tool' };
      return toolMessage(id, call, { content: message.content });
    }
    default:
      return type satisfies never;
  }
}

function toToolCalls(message: InputMessage): readonly ToolCall[] {
  return (message.tool_calls ?? []).map(({ id, name, args }) => ({ type: 'tool_call', id, name, args }));
}

function badMessage(index: number, msg: string): ServiceError {
  return validationFailed(['body', 'input', 'messages', index], msg);
}

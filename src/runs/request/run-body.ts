// The body with which a client requests a run, and its conversion (docs/contract/runs.md#the-request).
import { z } from 'zod';
import type { NodeSelection, RunOptions } from '../../agent/agent.ts';
import { validationFailed } from '../../errors.ts';
import { contentObject, jsonValue, metadataObject, stateObject } from '../../messages/bounded-json.ts';
import { withoutReservedKeys } from '../../messages/reserved-keys.ts';
import type { MultitaskStrategy } from '../../storage/runs.ts';
import { absentWhenNull, identifier, inputMessageList, toInputMessage } from './input-messages.ts';
import {
  type AgentChoices,
  AS_USUAL,
  COMMAND_TARGETS,
  type RunCommand,
  type RunRequest,
  toAgentChoices,
} from './run-request.ts';
import { stateFieldsSchema, toStateDelta } from './state-fields.ts';
import { STREAM_MODES, type StreamMode } from './stream-modes.ts';

const MAX_RECURSION_LIMIT = 1_000;
const MAX_INPUT_MESSAGES = 200;
const MAX_STATE_FIELDS = 64;
const MAX_WEBHOOK_CHARACTERS = 2_048;
const MAX_DELAY_SECONDS = 30 * 86_400;

const streamMode = z.enum(STREAM_MODES);
const streamModes = z.union(
  [streamMode, z.array(streamMode).max(STREAM_MODES.length * 2), z.literal('')],
  `one of ${STREAM_MODES.join(', ')}, or a list of them`,
);

const nodeName = z.string().max(128);
const nodeSelection = z.union([z.literal('*'), z.array(nodeName).max(100), nodeName]);
const gotoTarget = z.union([nodeName, z.object({ node: nodeName })]);
const stateField = z.tuple([z.string().max(64), jsonValue]);
const commandSchema = z.object({
  resume: jsonValue.optional(),
  update: absentWhenNull(z.union([z.array(stateField).max(MAX_STATE_FIELDS), stateObject])),
  goto: absentWhenNull(z.union([gotoTarget, z.array(gotoTarget).max(1)])),
});

const choice = (sentence: string) => absentWhenNull(z.boolean()).describe(sentence);

/** What a run may choose about the agent, in `config.configurable` or `context`. */
export const runChoicesSchema = z.object({
  model_name: absentWhenNull(z.string().max(128)).describe(
    'A name from `/api/models`; the first one by default.',
  ),
  thinking_enabled: choice('Whether the model thinks first, if it can. On by default.'),
  is_plan_mode: choice(
    'Whether the agent keeps a plan, a list of things to do: `todos` of the state. Off by default.',
  ),
  subagent_enabled: choice('Whether the agent may give tasks to others.'),
  memory_enabled: choice('Whether the run reads and adds to your memory. On by default.'),
  restore_files: choice('Whether a run from a checkpoint starts with the files of that checkpoint.'),
});

/** These choices, and anything else that a client puts there. */
const choicesObject = contentObject.meta({
  ...contentObject.meta(),
  properties: z.toJSONSchema(runChoicesSchema, { io: 'input', unrepresentable: 'any' }).properties,
});

/** The body of every run-creating route. Unknown keys are ignored; `null` counts as absent. */
export const runBodySchema = z
  .object({
    assistant_id: absentWhenNull(identifier.meta({ examples: ['lead_agent'] })),
    input: absentWhenNull(z.object({ messages: absentWhenNull(inputMessageList(MAX_INPUT_MESSAGES)) })),
    config: absentWhenNull(
      z.object({
        recursion_limit: absentWhenNull(z.int().min(1)).describe(
          `The most steps of the run until the agent replies; more than ${MAX_RECURSION_LIMIT} count as ${MAX_RECURSION_LIMIT}. A goal or plan that makes it continue after a reply grants as many again.`,
        ),
        configurable: absentWhenNull(choicesObject),
      }),
    ),
    context: absentWhenNull(choicesObject).describe(
      'Like `config.configurable`, and takes precedence over it.',
    ),
    metadata: absentWhenNull(metadataObject),
    stream_mode: absentWhenNull(streamModes),
    stream_subgraphs: absentWhenNull(z.boolean()),
    multitask_strategy: absentWhenNull(z.enum(['reject', 'interrupt', 'rollback', 'enqueue'])),
    on_disconnect: absentWhenNull(z.enum(['continue', 'cancel'])),
    on_completion: absentWhenNull(z.string().max(64)),
    if_not_exists: absentWhenNull(z.enum(['create', 'reject'])),
    follow_up_to_run_id: absentWhenNull(identifier),
    command: absentWhenNull(commandSchema),
    interrupt_before: absentWhenNull(nodeSelection),
    interrupt_after: absentWhenNull(nodeSelection),
    after_seconds: absentWhenNull(z.number().min(0).max(MAX_DELAY_SECONDS)),
    webhook: absentWhenNull(
      z
        .url({ protocol: /^https?$/, error: 'A webhook is a full http(s) address' })
        .max(MAX_WEBHOOK_CHARACTERS)
        .describe('Called with the run when it has ended'),
    ),
    checkpoint_id: absentWhenNull(identifier),
    checkpoint: absentWhenNull(z.object({ checkpoint_id: absentWhenNull(identifier) })),
  })
  .meta({
    id: 'RunRequest',
    examples: [
      {
        assistant_id: 'lead_agent',
        input: { messages: [{ role: 'user', content: 'Make a report about tea and honey.' }] },
        config: { configurable: { model_name: 'demo', is_plan_mode: true } },
        stream_mode: ['values', 'messages-tuple'],
      },
    ],
  });

export type RunBody = z.output<typeof runBodySchema>;

/** What the body does not contain: defaults of the route family, and values from headers. */
export interface RunDefaults {
  readonly idempotencyKey?: string | undefined;
  readonly recursionLimit: number;
  readonly multitaskStrategy: MultitaskStrategy;
}

/** Converts a parsed body to a request. Throws `validation_failed` for invalid messages. */
export function toRunRequest(body: RunBody, defaults: RunDefaults, newId: () => string): RunRequest {
  const chosenFields = { ...body.config?.configurable, ...body.context };
  const choices = parsedAt(['config', 'configurable'], runChoicesSchema, chosenFields);
  const chosen = toAgentChoices(choices);
  return {
    assistantId: body.assistant_id ?? 'lead_agent',
    messages: (body.input?.messages ?? []).map((message, index) => toInputMessage(message, index, newId)),
    options: toRunOptions(body, defaults, chosen),
    chosen,
    modes: toStreamModes(body.stream_mode),
    subgraphs: body.stream_subgraphs ?? false,
    metadata: withoutReservedKeys(body.metadata ?? {}),
    multitaskStrategy: body.multitask_strategy ?? defaults.multitaskStrategy,
    onDisconnect: body.on_disconnect ?? 'continue',
    createThread: body.if_not_exists === 'create',
    deleteThread: body.on_completion === 'delete',
    followUpToRunId: body.follow_up_to_run_id,
    restoreFiles: choices.restore_files ?? false,
    checkpointId: body.checkpoint_id ?? body.checkpoint?.checkpoint_id,
    command: body.command === undefined ? undefined : toCommand(body.command, newId),
    delayMs: Math.round((body.after_seconds ?? 0) * 1_000),
    webhook: body.webhook,
    idempotencyKey: defaults.idempotencyKey,
  };
}

/** Returns the modes. An empty list or text means `values`. */
function toStreamModes(modes: z.output<typeof streamModes> | undefined): readonly StreamMode[] {
  if (modes === undefined || modes === '') return ['values'];
  const list = typeof modes === 'string' ? [modes] : modes;
  return list.length === 0 ? ['values'] : [...new Set(list)];
}

function toRunOptions(body: RunBody, defaults: RunDefaults, chosen: AgentChoices): RunOptions {
  const recursionLimit = Math.min(
    body.config?.recursion_limit ?? defaults.recursionLimit,
    MAX_RECURSION_LIMIT,
  );
  return {
    ...AS_USUAL,
    ...chosen,
    recursionLimit,
    interruptBefore: toSelection(body.interrupt_before),
    interruptAfter: toSelection(body.interrupt_after),
  };
}

function toSelection(selection: string | readonly string[] | undefined): NodeSelection {
  if (selection === undefined) return [];
  if (selection === '*') return '*';
  return typeof selection === 'string' ? [selection] : selection;
}

function toCommand(command: z.output<typeof commandSchema>, newId: () => string): RunCommand {
  const update = Array.isArray(command.update) ? Object.fromEntries(command.update) : (command.update ?? {});
  const fields = parsedAt(['command', 'update'], stateFieldsSchema, update);
  return {
    // `null` is also an answer. Only a missing key means that there is none.
    resume: command.resume === undefined ? undefined : { value: command.resume },
    update: toStateDelta(fields, newId),
    goto: toTarget(command.goto),
  };
}

function toTarget(goto: z.output<typeof commandSchema>['goto']): RunCommand['goto'] {
  const [first] = Array.isArray(goto) ? goto : [goto];
  if (first === undefined) return undefined;
  const name = typeof first === 'string' ? first : first.node;
  const target = COMMAND_TARGETS.find((it) => it === name);
  if (target !== undefined) return target;
  throw validationFailed(['body', 'command', 'goto'], `There is no node named '${name.slice(0, 50)}'.`);
}

/** Throws `validation_failed` for the first problem at this place of the body. */
function parsedAt<T>(place: readonly string[], schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
  throw validationFailed(['body', ...place, ...path], issue?.message ?? 'not valid');
}

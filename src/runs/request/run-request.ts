// What a client asks for when it creates a run, parsed once (docs/contract/runs.md#the-request).
import { z } from 'zod';
import type { BackgroundOrder, NodeSelection, RunOptions } from '../../agent/agent.ts';
import { validationFailed } from '../../errors.ts';
import { contentObject, jsonValue, metadataObject, stateObject } from '../../messages/bounded-json.ts';
import type { Json, JsonObject, Message } from '../../messages/message.ts';
import { withoutReservedKeys } from '../../messages/reserved-keys.ts';
import type { StateDelta } from '../../messages/thread-state.ts';
import type { AgentPin } from '../../storage/agents.ts';
import type { MultitaskStrategy } from '../../storage/runs.ts';
import { absentWhenNull, inputMessageList, toInputMessage } from './input-messages.ts';
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

/** What a run may choose of the agent, in `config.configurable` or `context`. */
export const runChoicesSchema = z.object({
  model_name: absentWhenNull(z.string().max(128)).describe(
    'A name of `/api/models`; the first of them otherwise.',
  ),
  thinking_enabled: absentWhenNull(z.boolean()).describe(
    'Whether the model thinks first, if it can. On by default.',
  ),
  is_plan_mode: absentWhenNull(z.boolean()).describe(
    'Whether the agent keeps a plan, a list of things to do: `todos` of the state. Off by default.',
  ),
  subagent_enabled: absentWhenNull(z.boolean()).describe('Whether the agent may give tasks to others.'),
  memory_enabled: absentWhenNull(z.boolean()).describe(
    'Whether the run reads and adds to what is remembered of you. On by default.',
  ),
  restore_files: absentWhenNull(z.boolean()).describe(
    'Whether a run from a checkpoint begins with the files of that checkpoint.',
  ),
});

/** Those, and whatever else a client keeps there. */
const choicesObject = contentObject.meta({
  ...contentObject.meta(),
  properties: z.toJSONSchema(runChoicesSchema, { io: 'input', unrepresentable: 'any' }).properties,
});

/** The body of every run-creating route. Unknown keys are ignored; `null` counts as absent. */
export const runBodySchema = z
  .object({
    assistant_id: absentWhenNull(
      z
        .string()
        .min(1)
        .max(128)
        .meta({ examples: ['lead_agent'] }),
    ),
    input: absentWhenNull(z.object({ messages: absentWhenNull(inputMessageList(MAX_INPUT_MESSAGES)) })),
    config: absentWhenNull(
      z.object({
        recursion_limit: absentWhenNull(z.int().min(1)).describe(
          `Steps of the run until the agent answers, at most; more than ${MAX_RECURSION_LIMIT} count as ${MAX_RECURSION_LIMIT}. A goal or a plan that lets it go on behind an answer gives it as many again.`,
        ),
        configurable: absentWhenNull(choicesObject),
      }),
    ),
    context: absentWhenNull(choicesObject).describe('As `config.configurable`, and wins over it.'),
    metadata: absentWhenNull(metadataObject),
    stream_mode: absentWhenNull(streamModes),
    stream_subgraphs: absentWhenNull(z.boolean()),
    multitask_strategy: absentWhenNull(z.enum(['reject', 'interrupt', 'rollback', 'enqueue'])),
    on_disconnect: absentWhenNull(z.enum(['continue', 'cancel'])),
    on_completion: absentWhenNull(z.string().max(64)),
    if_not_exists: absentWhenNull(z.enum(['create', 'reject'])),
    follow_up_to_run_id: absentWhenNull(z.string().min(1).max(128)),
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
    checkpoint_id: absentWhenNull(z.string().min(1).max(128)),
    checkpoint: absentWhenNull(z.object({ checkpoint_id: absentWhenNull(z.string().min(1).max(128)) })),
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

export interface RunRequest {
  readonly assistantId: string;
  /** The version of an agent that somebody defined, chosen when the run is accepted; absent for the lead agent. */
  readonly agent?: AgentPin;
  /** The run is the work of a sub-agent in the background of another thread; absent: of an agent that was asked. */
  readonly task?: BackgroundWorkplace;
  /** Messages with their final ids; empty when the run goes on from the state as it is. */
  readonly messages: readonly Message[];
  readonly options: RunOptions;
  /** What the request itself says of the options; the rest are defaults. */
  readonly chosen: AgentChoices;
  readonly modes: readonly StreamMode[];
  readonly subgraphs: boolean;
  readonly metadata: JsonObject;
  readonly multitaskStrategy: MultitaskStrategy;
  readonly onDisconnect: 'continue' | 'cancel';
  readonly createThread: boolean;
  readonly deleteThread: boolean;
  readonly followUpToRunId: string | undefined;
  readonly checkpointId: string | undefined;
  /** A branch begins with the files of its checkpoint. */
  readonly restoreFiles: boolean;
  readonly command: RunCommand | undefined;
  /** Milliseconds after which the run may start. */
  readonly delayMs: number;
  /** Who is told of the end. */
  readonly webhook: string | undefined;
  /** The same key of the same user means the same run (header `Idempotency-Key`). */
  readonly idempotencyKey: string | undefined;
}

/** A task in the background: what kind of sub-agent does it, with the files of which thread. */
export interface BackgroundWorkplace extends BackgroundOrder {
  readonly parentThreadId: string;
}

/** How a waiting run goes on (SDK: Command). */
export interface RunCommand {
  /** What the person answered: one value, or values by the id of the interrupt. Absent: nothing was answered. */
  readonly resume?: { readonly value: Json };
  readonly update: StateDelta;
  /** Absent: where the run stopped. */
  readonly goto?: CommandTarget;
}

type CommandTarget = (typeof COMMAND_TARGETS)[number];
export const COMMAND_TARGETS = ['model', 'tools', '__end__'] as const;

/** What the body does not say: defaults of the route family, and what came in headers. */
export interface RunDefaults {
  readonly idempotencyKey?: string | undefined;
  readonly recursionLimit: number;
  readonly multitaskStrategy: MultitaskStrategy;
}

/** Turns a parsed body into a request; throws `validation_failed` for messages that are none. */
export function toRunRequest(body: RunBody, defaults: RunDefaults, newId: () => string): RunRequest {
  const choices = toChoices(body);
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

/** An empty list or text means `values`. */
function toStreamModes(modes: z.output<typeof streamModes> | undefined): readonly StreamMode[] {
  if (modes === undefined || modes === '') return ['values'];
  const list = typeof modes === 'string' ? [modes] : modes;
  return list.length === 0 ? ['values'] : [...new Set(list)];
}

function toChoices(body: RunBody): z.output<typeof runChoicesSchema> {
  const parsed = runChoicesSchema.safeParse({ ...body.config?.configurable, ...body.context });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw validationFailed(
      ['body', 'config', 'configurable', ...pathOf(issue)],
      issue?.message ?? 'not valid',
    );
  }
  return parsed.data;
}

/** How the agent is to work; absent: as usual, or as the run did that this one goes on with. */
export type AgentChoices = Partial<
  Pick<RunOptions, 'modelName' | 'thinking' | 'planMode' | 'subagents' | 'memory'>
>;

function toAgentChoices({
  model_name: modelName,
  thinking_enabled,
  is_plan_mode,
  subagent_enabled,
  memory_enabled,
}: z.output<typeof runChoicesSchema>): AgentChoices {
  return {
    ...(modelName === undefined || modelName === '' ? {} : { modelName }),
    ...(thinking_enabled === undefined ? {} : { thinking: thinking_enabled }),
    ...(is_plan_mode === undefined ? {} : { planMode: is_plan_mode }),
    ...(subagent_enabled === undefined ? {} : { subagents: subagent_enabled }),
    ...(memory_enabled === undefined ? {} : { memory: memory_enabled }),
  };
}

function toRunOptions(body: RunBody, defaults: RunDefaults, chosen: AgentChoices): RunOptions {
  const recursionLimit = Math.min(
    body.config?.recursion_limit ?? defaults.recursionLimit,
    MAX_RECURSION_LIMIT,
  );
  return {
    thinking: true,
    planMode: false,
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
  const fields = stateFieldsSchema.safeParse(update);
  if (!fields.success) {
    const [issue] = fields.error.issues;
    throw validationFailed(['body', 'command', 'update', ...pathOf(issue)], issue?.message ?? 'not valid');
  }
  const goto = toTarget(command.goto);
  return {
    // null is an answer, too: it is only absent when the key is.
    ...(command.resume === undefined ? {} : { resume: { value: command.resume } }),
    update: toStateDelta(fields.data, newId),
    ...(goto === undefined ? {} : { goto }),
  };
}

function toTarget(goto: z.output<typeof commandSchema>['goto']): CommandTarget | undefined {
  const [first] = Array.isArray(goto) ? goto : [goto];
  if (first === undefined) return undefined;
  const name = typeof first === 'string' ? first : first.node;
  const target = COMMAND_TARGETS.find((it) => it === name);
  if (target !== undefined) return target;
  throw validationFailed(['body', 'command', 'goto'], `There is no node named '${name.slice(0, 50)}'.`);
}

function pathOf(issue: z.core.$ZodIssue | undefined): (string | number)[] {
  return (issue?.path ?? []).map((part) => (typeof part === 'number' ? part : String(part)));
}

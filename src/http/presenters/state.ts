// The state of a thread in its wire format: one shape for the gateway, and the SDK's for the runtime.
import { z } from 'zod';
import { taskOf } from '../../messages/agent-namespace.ts';
import type { Json, JsonObject } from '../../messages/message.ts';
import { openCalls } from '../../messages/open-calls.ts';
import { EMPTY_STATE, piecesOfValues } from '../../messages/thread-state.ts';
import type { CheckpointRecord } from '../../storage/checkpoints.ts';
import type { StateAt } from '../../threads/update-state.ts';
import type { RouteFamily } from '../api/route-family.ts';
import {
  anyJson,
  checkpointIdField,
  jsonObject,
  threadIdField,
  timeField,
  timestamp,
} from './wire-fields.ts';

const checkpointSchema = z
  .object({
    thread_id: threadIdField,
    checkpoint_ns: z.string(),
    checkpoint_id: checkpointIdField,
    checkpoint_map: z.null(),
  })
  .meta({ id: 'Checkpoint' });
const taskSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    path: z.array(anyJson),
    error: z.null(),
    interrupts: z.array(anyJson),
    checkpoint: z.null(),
    state: z.null(),
    result: z.null(),
  })
  .meta({ id: 'Task', description: 'The next tasks, with the questions to the person' });
const valuesSchema = z
  .looseObject({
    messages: z
      .array(
        z
          .looseObject({ id: z.string(), type: z.enum(['human', 'system', 'ai', 'tool']) })
          .meta({ id: 'StateMessage' }),
      )
      .optional(),
    todos: z
      .array(jsonObject)
      .optional()
      .describe(
        "The agent's plan: items `{content, status}`, where the status is `pending`, `in_progress` or `completed`.",
      ),
    goal: jsonObject
      .nullish()
      .describe('The goal that the agent works towards: `GET /api/threads/{thread_id}/goal` returns it.'),
  })
  .meta({ id: 'StateValues' });
export const finalValuesSchema = valuesSchema
  .extend({ __error__: anyJson.optional(), __interrupt__: z.array(anyJson).optional() })
  .meta({ id: 'FinalValues' });
const stateFields = {
  values: valuesSchema,
  next: z.array(z.string()),
  tasks: z.array(taskSchema),
  metadata: jsonObject,
  created_at: timeField.nullable(),
};
const stateSchema = z
  .object({
    ...stateFields,
    checkpoint: checkpointSchema.nullable(),
    parent_checkpoint: checkpointSchema.nullable(),
    config: z.object({ configurable: checkpointSchema.partial() }),
  })
  .meta({ id: 'State' });
const ids = {
  checkpoint_id: checkpointIdField.nullable(),
  parent_checkpoint_id: checkpointIdField.nullable(),
};
const gatewayStateSchema = stateSchema.extend(ids).meta({ id: 'GatewayState' });
const gatewayHistorySchema = z
  .object({ ...stateFields, ...ids, title: anyJson, thread_data: anyJson })
  .meta({ id: 'GatewayHistoryEntry' });

/** Returns the schemas of the state, a history entry and a state update in a group of routes. */
export function stateSchemas({ kind }: RouteFamily) {
  if (kind === 'gateway')
    return { state: gatewayStateSchema, entry: gatewayHistorySchema, updated: gatewayStateSchema };
  return { state: stateSchema, entry: stateSchema, updated: z.object({ checkpoint: checkpointSchema }) };
}

/** Fields that a thread with a state always shows (docs/contract/state.md#fields). */
const EMPTY_FIELDS: JsonObject = { sandbox: {}, artifacts: [], thread_data: {}, title: '' };

/** Yields the JSON text of the state route's response in pieces. Messages use their cached texts. */
export function statePieces(
  family: RouteFamily,
  threadId: string,
  at: StateAt | undefined,
): Generator<string> {
  if (at === undefined) return noStatePieces(family, threadId);
  const { checkpoint } = at;
  const { checkpointId, parentId, namespace } = checkpoint;
  const own = checkpointConfig(threadId, checkpointId, namespace);
  const shared = {
    next: checkpoint.next,
    tasks: presentTasks(at),
    metadata: checkpointMetadata(checkpoint),
    created_at: timestamp(checkpoint.createdAt),
    checkpoint: own,
    parent_checkpoint: parentId === null ? null : checkpointConfig(threadId, parentId, namespace),
    config: { configurable: own },
  };
  const ids = { checkpoint_id: checkpointId, parent_checkpoint_id: parentId };
  return withValues(family.kind === 'gateway' ? { ...shared, ...ids } : shared, valuesPieces(at));
}

function noStatePieces(family: RouteFamily, threadId: string): Generator<string> {
  const shared = {
    next: [],
    tasks: [],
    metadata: {},
    created_at: null,
    checkpoint: null,
    parent_checkpoint: null,
    config: { configurable: { thread_id: threadId } },
  };
  if (family.kind === 'runtime') return withValues(shared, ['{}']);
  const values = piecesOfValues({ ...EMPTY_STATE, values: EMPTY_FIELDS });
  return withValues({ ...shared, checkpoint_id: null, parent_checkpoint_id: null }, values);
}

/**
 * Yields the JSON text of one entry of the gateway's history in pieces. Only the newest entry has messages.
 */
export function gatewayHistoryPieces(at: StateAt, position: 'newest' | 'older'): Generator<string> {
  const { checkpoint, folded } = at;
  const { title = '', thread_data = {} } = folded.state.values;
  const entry = {
    checkpoint_id: checkpoint.checkpointId,
    parent_checkpoint_id: checkpoint.parentId,
    metadata: checkpointMetadata(checkpoint),
    title,
    thread_data,
    next: checkpoint.next,
    tasks: presentTasks(at),
    created_at: timestamp(checkpoint.createdAt),
  };
  const values = position === 'newest' ? valuesPieces(at) : [JSON.stringify({ title, thread_data })];
  return withValues(entry, values);
}

const storedTask = z.looseObject({ id: z.string(), name: z.string(), interrupts: z.array(z.json()) });

/** Returns the next tasks: nodes with their questions, one task per open tool call, or only a node. */
function presentTasks({ checkpoint, folded }: StateAt): JsonObject[] {
  const { checkpointId, tasks, next } = checkpoint;
  if (tasks.length > 0) {
    const stored = z.array(storedTask).parse(tasks);
    return stored.map(({ id, name, interrupts }) => waiting(id, [PULL, name], { name, interrupts }));
  }
  return next.flatMap((name) => {
    const calls = name === 'tools' ? openCalls(folded.state.messages) : [];
    if (calls.length === 0) return [waiting(`${checkpointId}:${name}`, [PULL, name], { name })];
    // The SDK's hook finds a sub-agent's history by the index of its call among the open ones.
    return calls.map((call, index) => waiting(taskOf(call.id), [PUSH, index], { name }));
  });
}

function waiting(
  id: string,
  path: Json[],
  { name, interrupts = [] }: { readonly name: string; readonly interrupts?: Json[] },
): JsonObject {
  return { id, name, path, error: null, interrupts, checkpoint: null, state: null, result: null };
}

/** The SDK server's names for why a task is due: its node's turn, or one of several that a node requested. */
const PULL = '__pregel_pull';
const PUSH = '__pregel_push';

function valuesPieces({ folded }: StateAt): Generator<string> {
  const { state } = folded;
  return piecesOfValues({ ...state, values: { ...EMPTY_FIELDS, ...state.values } });
}

function* withValues(fields: object, values: Iterable<string>): Generator<string> {
  yield '{"values":';
  yield* values;
  yield `,${JSON.stringify(fields).slice(1)}`;
}

export function checkpointConfig(threadId: string, checkpointId: string, namespace = ''): JsonObject {
  return { thread_id: threadId, checkpoint_ns: namespace, checkpoint_id: checkpointId, checkpoint_map: null };
}

/** Returns the `metadata` of a checkpoint, by which a history can also be searched. */
export function checkpointMetadata(checkpoint: CheckpointRecord): Record<string, Json> {
  return {
    ...checkpoint.metadata,
    source: checkpoint.source,
    step: checkpoint.step,
    run_id: checkpoint.runId,
    thread_id: checkpoint.threadId,
  };
}

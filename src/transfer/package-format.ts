// The contents of a package: its files, and the shape of every line. Version 1
// (docs/decisions/0027-packages.md).

import { z } from 'zod';
import { isFields } from '../json/unknown-json.ts';
import type { Json, JsonObject } from '../messages/message.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import type { LinePart } from '../storage/account-packages.ts';
import { byColumn } from '../storage/run-counts.ts';
import { RUN_EVENT_CATEGORIES } from '../storage/run-events.ts';
import { STOP_REASONS } from '../storage/runs.ts';

export const PACKAGE_FORMAT = 'agent-service-package';
export const FORMAT_VERSION = 1;

/** Paths in a package. Files of threads are at `files/<thread_id>/<area>/...`. */
export const MANIFEST = 'manifest.json';
export const PROFILE = 'profile.json';
export const USAGE = 'usage.jsonl';
export const STORE = 'store.jsonl';
export const SKILLS = 'skills.json';
export const linesEntry = (part: LinePart): string => `${part}.jsonl`;
export const threadEntry = (threadId: string): string => `threads/${threadId}.jsonl`;
export const skillEntry = (skill: string, names: readonly string[]): string =>
  ['skills', skill, ...names].join('/');
export const fileEntry = (threadId: string, names: readonly string[]): string =>
  ['files', threadId, ...names].join('/');

const ID = /^[A-Za-z0-9_-]{1,64}$/;
const id = z.string().regex(ID);
const count = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
const json = z.custom<Json>((value) => value !== undefined);
const jsonObject = z.custom<JsonObject>(isFields, 'Expected an object');
const text = z.string().max(1_000_000);
const label = z.string().min(1).max(256);

/** A list whose length is checked before its items. */
function few<Item extends z.ZodType>(item: Item, most: number) {
  return z
    .custom<z.input<Item>[]>(
      (value) => Array.isArray(value) && value.length <= most,
      `Expected at most ${most}`,
    )
    .pipe(z.array(item));
}

const threadLine = z.strictObject({
  type: z.literal('thread'),
  thread_id: id,
  display_name: text.nullable(),
  status: z.enum(['idle', 'interrupted', 'error']),
  metadata: jsonObject,
  assistant_id: label.nullable(),
  head_checkpoint_id: id.nullable(),
  created_at: moment,
  updated_at: moment,
});

const MAX_KEYS = 256;

function hasFewKeys(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length <= MAX_KEYS;
}

const modelUsage = z.object({
  tokens: count,
  inputTokens: count,
  cachedInputTokens: count,
  outputTokens: count,
  calls: count,
  cost: z.record(label, count),
});

const runLine = z.strictObject({
  type: z.literal('run'),
  run_id: id,
  assistant_id: label,
  status: z.enum(['success', 'error', 'interrupted', 'timeout']),
  metadata: jsonObject,
  kwargs: jsonObject,
  multitask_strategy: z.enum(['reject', 'interrupt', 'rollback', 'enqueue']),
  follow_up_to_run_id: id.nullable(),
  attempt: z.int().min(0).max(1_000_000),
  base_checkpoint_id: id.nullable(),
  stop_reason: z.enum(STOP_REASONS).nullable(),
  error: text.nullable(),
  created_at: moment,
  updated_at: moment,
  started_at: moment.nullable(),
  finished_at: moment.nullable(),
  ...byColumn(() => count),
  token_usage_by_model: z
    .custom<Record<string, z.input<typeof modelUsage>>>(hasFewKeys, `Expected at most ${MAX_KEYS} keys`)
    .pipe(z.record(label, modelUsage)),
});

const messageFields = {
  id: z.string().min(1).max(256),
  content: z.union([z.string(), few(z.looseObject({ type: z.string() }), 10_000)]),
  name: z.string().nullable(),
  additional_kwargs: jsonObject,
  response_metadata: jsonObject,
};
const toolCall = z.looseObject({
  type: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  args: jsonObject,
});
const message = z.discriminatedUnion('type', [
  z.looseObject({ ...messageFields, type: z.literal('human') }),
  z.looseObject({ ...messageFields, type: z.literal('system') }),
  z.looseObject({
    ...messageFields,
    type: z.literal('ai'),
    tool_calls: few(toolCall, 1_000),
    invalid_tool_calls: few(jsonObject, 1_000),
    usage_metadata: z
      .looseObject({ input_tokens: z.number(), output_tokens: z.number(), total_tokens: z.number() })
      .nullable(),
  }),
  z.looseObject({
    ...messageFields,
    type: z.literal('tool'),
    tool_call_id: z.string(),
    artifact: json,
    status: z.enum(['success', 'error']),
  }),
  z.looseObject({ type: z.literal('remove'), id: z.string().min(1).max(256) }),
]);

/** A message in a change of the state. Messages are checked one by one, because there may be many. */
export const messageSchema = z.custom<unknown>(hasFewKeys, `Expected at most ${MAX_KEYS} keys`).pipe(message);

const deltaShape = z.strictObject({
  messages: z.custom<readonly unknown[]>((value) => Array.isArray(value)),
  values: z.custom<JsonObject>(hasFewKeys),
});
/** Passed through unchanged, because the state is folded from these very objects. */
const delta = z.custom<StateDelta>(
  (value) => deltaShape.safeParse(value).success,
  'Expected a change of the state',
);

const checkpointLine = z.strictObject({
  type: z.literal('checkpoint'),
  checkpoint_id: id,
  parent_id: id.nullable(),
  run_id: id.nullable(),
  namespace: z.string().max(4_096),
  step: z.int().min(-1).max(1_000_000_000),
  source: z.enum(['input', 'loop', 'update', 'fork']),
  node: label.nullable(),
  next: few(label, 100),
  tasks: few(json, 1_000),
  metadata: jsonObject,
  created_at: moment,
  delta,
  snapshot: delta.nullable(),
});

const eventLine = z.strictObject({
  type: z.literal('event'),
  seq: z.int().min(1),
  run_id: id,
  event_type: label,
  category: z.enum(RUN_EVENT_CATEGORIES),
  content: json,
  /** True when a branch has left its message behind. */
  replaced: z.boolean(),
  /** True when the thread had its message already. */
  repeated: z.boolean().default(false),
  metadata: jsonObject,
  created_at: moment,
});

const feedbackLine = z.strictObject({
  type: z.literal('feedback'),
  feedback_id: id,
  run_id: id,
  message_id: z.string().min(1).max(256).nullable(),
  rating: z.union([z.literal(1), z.literal(-1)]),
  comment: z.string().max(4_000).nullable(),
  created_at: moment,
});

const counts = { runs: count, checkpoints: count, events: count, feedback: count };

const endLine = z.strictObject({ type: z.literal('end'), ...counts });

const CONTROL = /\p{Cc}/u;
const isPlain = (text: string) => text.isWellFormed() && !CONTROL.test(text);
const itemLabel = z
  .string()
  .min(1)
  .max(1_024)
  .refine((text) => !text.includes('.') && isPlain(text), 'Expected a label of a namespace');

/** The lines of `store.jsonl`. */
export const itemSchema = z.strictObject({
  namespace: few(itemLabel, 16).refine(({ length }) => length > 0, 'Expected a label'),
  key: z.string().min(1).max(512).refine(isPlain, 'Expected a key'),
  value: jsonObject,
  created_at: moment,
  updated_at: moment,
  expires_at: moment.nullable(),
});

/** The lines of `threads/<id>.jsonl`, in this order: the thread, runs, checkpoints, events, feedback, the end. */
export const lineSchema = z.discriminatedUnion('type', [
  threadLine,
  runLine,
  checkpointLine,
  eventLine,
  feedbackLine,
  endLine,
]);

export type PackageLine = z.output<typeof lineSchema>;
export type LineOf<Type extends PackageLine['type']> = Extract<PackageLine, { type: Type }>;
/** A line as it is written, with times as texts. */
export type WrittenLine = z.input<typeof lineSchema>;

export const manifestEntrySchema = z.object({
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

export const manifestSchema = z.object({
  format: z.literal(PACKAGE_FORMAT),
  format_version: z.literal(FORMAT_VERSION),
  service_version: z.string(),
  kind: z.enum(['thread', 'account']),
  created_at: moment,
  counts: z.object({ threads: count, ...counts, files: count }),
  /** Number of runs that had not ended. Their threads are exported as they were before these runs. */
  runs_left_out: count,
  /** Threads that were deleted while they were read, so that their contents are incomplete. */
  threads_left_out: few(id, 100_000),
  /** Every other file of the package, each with a `manifestEntrySchema`. */
  entries: z.custom<Record<string, z.input<typeof manifestEntrySchema>>>(isFields, 'Expected an object'),
});

export type Manifest = z.input<typeof manifestSchema>;

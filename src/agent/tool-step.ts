// The tools step: reviews the calls of a message, runs them, and puts their results in order.
import { z } from 'zod';
import type { Interrupt } from '../messages/interrupt.ts';
import {
  type AiMessage,
  isJsonObject,
  type Json,
  type JsonObject,
  type Message,
  type ToolCall,
} from '../messages/message.ts';
import type { StateDelta } from '../messages/thread-state.ts';
import { failure, RunInterrupt } from '../tools/tool.ts';
import type { KnownVersions } from '../workspace/known-versions.ts';
import type { AgentStop, Emit, PendingTask, StateChange, ToolEnd } from './agent-event.ts';
import { executeTools, type ToolStep, toolEnd } from './execute-tools.ts';
import { type Middleware, type ReviewedTools, reviewTools } from './middleware.ts';

/** Per call: enough to see what the result is about. */
const LEAST_CHARACTERS = 2_000;

/** `calls` are the calls of the message that have no result yet. */
export interface ToolStepInput extends Omit<ToolStep, 'knownFiles' | 'maxCharacters'> {
  readonly message: AiMessage;
  readonly middleware: readonly Middleware[];
  readonly taskId: string;
}

interface ToolStepOutcome extends Pick<StateChange, 'delta' | 'next' | 'tasks'> {
  readonly stop: AgentStop | undefined;
}

export async function toolStep(input: ToolStepInput, emit: Emit): Promise<ToolStepOutcome> {
  const { context, message, limits } = input;
  const beyond = new Set(message.tool_calls.slice(limits.most).map(({ id }) => id));
  const review = await reviewed(
    input,
    input.calls.filter(({ id }) => !beyond.has(id)),
  );
  if ('interrupts' in review) return paused(input, { messages: [], values: {} }, review.interrupts);
  const step = {
    ...input,
    calls: review.calls,
    knownFiles: createKnownFiles(context.state.messages, input.unfinished?.toolEnds ?? []),
    // Divided by all calls of the message, so that a step that is repeated after a crash has the same limit.
    maxCharacters: Math.max(LEAST_CHARACTERS, Math.floor(limits.maxCharacters / message.tool_calls.length)),
  };
  const { ends, interrupts } = await executeTools(step, emit);
  const excess = input.calls.filter(({ id }) => beyond.has(id));
  const tooMany = `Error: one answer may make at most ${limits.most} tool calls, and this one was not run. Make it in another answer if it is still needed.`;
  const beyondLimit = excess.map((call) => ({ call, message: tooMany }));
  const refused = await refusals(input, [...review.refused, ...beyondLimit], emit);
  const results = inCallOrder(message.tool_calls, [...ends, ...refused]);
  const delta = deltaOf(context.state.values, review, results);
  if (context.signal.aborted) return { delta, next: [], tasks: [], stop: { kind: 'aborted' } };
  if (interrupts.length > 0) return paused(input, delta, interrupts);
  // A clarifying question has its result: the person's next message answers it.
  if (results.some((end) => end.awaitsInput))
    return { delta, next: [], tasks: [], stop: { kind: 'awaiting_input' } };
  return { delta, next: ['model'], tasks: [], stop: undefined };
}

/** Returns the ends of refused calls, and emits those that an earlier attempt has not emitted. */
async function refusals(
  { unfinished, newId }: ToolStepInput,
  refused: ReviewedTools['refused'],
  emit: Emit,
): Promise<readonly ToolEnd[]> {
  const endsByCall = new Map(unfinished?.toolEnds.map((end) => [end.message.tool_call_id, end]));
  const ends: ToolEnd[] = [];
  for (const { call, message } of refused) {
    const known = endsByCall.get(call.id);
    const end = known ?? toolEnd({ newId }, call, failure(message));
    if (known === undefined) await emit(end);
    ends.push(end);
  }
  return ends;
}

async function reviewed(
  input: ToolStepInput,
  calls: readonly ToolCall[],
): Promise<ReviewedTools | { readonly interrupts: readonly Interrupt[] }> {
  const { context, message, middleware, answers } = input;
  try {
    return await reviewTools(middleware, { message, calls }, { ...context, answers });
  } catch (error) {
    if (error instanceof RunInterrupt) return { interrupts: error.interrupts };
    throw error;
  }
}

/** Stops the run at the step, which is repeated when the person has answered. */
function paused(
  { taskId, answers }: ToolStepInput,
  delta: StateDelta,
  interrupts: readonly Interrupt[],
): ToolStepOutcome {
  const task: PendingTask = { id: taskId, name: 'tools', interrupts, answered: Object.fromEntries(answers) };
  return { delta, next: ['tools'], tasks: [task], stop: { kind: 'awaiting_input' } };
}

function inCallOrder(calls: readonly ToolCall[], ends: readonly ToolEnd[]): readonly ToolEnd[] {
  const byId = new Map(ends.map((end) => [end.message.tool_call_id, end]));
  return calls.flatMap((call) => byId.get(call.id) ?? []);
}

function deltaOf(before: JsonObject, review: ReviewedTools, ends: readonly ToolEnd[]): StateDelta {
  const results = ends.map((end) => end.message);
  const messages = review.edited === undefined ? results : [review.edited, ...results];
  const changes = [review.values, ...ends.map((end) => end.values)];
  return { messages, values: foldToolValues(before, changes) };
}

const artifactSchema = z.object({ file: z.object({ path: z.string(), version: z.string() }) });

/** Returns the file versions in the messages and in the current step, which is not in the messages yet. */
function createKnownFiles(
  messages: readonly Message[],
  begun: readonly { readonly message: Message }[],
): KnownVersions {
  const learned = new Map<string, string>();
  for (const { message } of begun) {
    const file = fileIn(message);
    if (file !== undefined) learned.set(file.path, file.version);
  }
  return {
    get: (path) => learned.get(path) ?? lastIn(messages, path),
    set: (path, version) => void learned.set(path, version),
  };
}

function lastIn(messages: readonly Message[], path: string): string | undefined {
  const last = messages.findLast((message) => fileIn(message)?.path === path);
  return last && fileIn(last)?.version;
}

function fileIn(message: Message) {
  if (message.type !== 'tool' || message.artifact === null) return undefined;
  return artifactSchema.safeParse(message.artifact).data?.file;
}

type Reducer = (before: Json | undefined, change: Json) => Json;

/** Fields to which a call adds. For every other field, the last call wins. */
const REDUCERS: ReadonlyMap<string, Reducer> = new Map([
  ['artifacts', appended],
  ['found_tools', appended],
  ['viewed_images', merged],
]);

/** Returns the fields after the changes, in the order of the calls. The same changes again change nothing. */
function foldToolValues(before: JsonObject, changes: readonly JsonObject[]): JsonObject {
  const values = new Map<string, Json>();
  for (const [field, change] of changes.flatMap((it) => Object.entries(it))) {
    const reduce = REDUCERS.get(field);
    values.set(field, reduce === undefined ? change : reduce(values.get(field) ?? before[field], change));
  }
  return Object.fromEntries(values);
}

function appended(before: Json | undefined, change: Json): Json {
  return [...new Set([...listOf(before), ...listOf(change)])];
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** The state is not a list of images. */
const MAX_FIELDS = 100;

/** Merges by key, newest last. The keys that were changed longest ago are dropped. */
function merged(before: Json | undefined, change: Json): Json {
  const changed = fieldsOf(change);
  const kept = Object.entries(fieldsOf(before)).filter(([key]) => !(key in changed));
  return Object.fromEntries([...kept, ...Object.entries(changed)].slice(-MAX_FIELDS));
}

function fieldsOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

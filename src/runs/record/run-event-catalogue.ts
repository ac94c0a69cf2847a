// All events that the record of a run may hold: the one table behind the journal, the docs and the tests.
import { z } from 'zod';
import type { Json, JsonObject } from '../../messages/message.ts';
import type { JsonText, NewRunEvent, RunEventCategory } from '../../storage/run-events.ts';

interface CatalogueEntry {
  readonly category: RunEventCategory;
  /** When it is recorded. The page puts "when" before it. */
  readonly when: string;
  readonly content: z.ZodType;
  /** The keys that the event may have. Storage adds `content_is_json`. */
  readonly metadata: z.ZodObject<z.ZodRawShape, z.core.$strict>;
}

const text = z.string();
const nothing = z.literal('').describe('empty');
const tokens = z.int().min(0);

function message(type: 'human' | 'ai' | 'tool' | 'system', fields: z.ZodRawShape = {}) {
  const content = z.union([text, z.array(z.looseObject({ type: text }))]);
  const base = { type: z.literal(type), id: text, role: text, content, name: text.nullable() };
  return z.looseObject({ ...base, ...fields });
}

const reply = message('ai', { tool_calls: z.array(z.looseObject({ id: text, name: text })) }).describe(
  'the assistant message',
);
const toolMessage = message('tool', { tool_call_id: text, status: z.enum(['success', 'error']) });

/** A trace beyond the limit holds only the beginning of its text. */
function trace(whole: z.ZodType, description: string) {
  return z
    .union([whole, text])
    .describe(`${description}; beyond the limit of traces, the beginning of its text`);
}

function work(changes: z.ZodRawShape, action: z.ZodType = text) {
  return z.looseObject({ name: text, hook: text, action, changes: z.looseObject(changes) });
}

const cut = {
  content_truncated: z.literal(true).exactOptional().describe('the content was cut'),
  original_byte_length: tokens.exactOptional().describe('bytes of the whole content'),
};
const call = {
  caller: text
    .regex(/^(lead_agent|subagent:.+|middleware:.+)$/)
    .describe('`lead_agent`, `subagent:<name>` or `middleware:<name>`'),
  llm_call_index: z.int().min(1).describe('pairs a request with its response'),
};
/** In the metadata, because cut content may lack it. */
const asked = { model: text.describe('the configured name of the called model') };
const usage = z.looseObject({ input_tokens: tokens, output_tokens: tokens, total_tokens: tokens });
const spent = {
  usage: usage.describe('tokens'),
  usage_estimated: z
    .literal(true)
    .exactOptional()
    .describe('estimated, because the provider reported no tokens'),
  cost: z.json().describe('the cost by currency'),
};
const spentPerhaps = {
  usage: spent.usage.exactOptional(),
  usage_estimated: spent.usage_estimated,
  cost: spent.cost.exactOptional(),
};
const finish = {
  model_name: text.nullable().describe('the model that replied'),
  finish_reason: text.describe('`stop`, `tool_calls`, or why the reply is incomplete'),
};
const tool = { tool_name: text.nullable(), tool_call_id: text };
const status = z.enum(['success', 'error']);
const subagent = { namespace: text, subagent: text.describe('its name') };
const task = { ...subagent, task_id: text.describe('the id of the call that started the task') };
const revised = { message_id: text, checkpoint_id: text.describe('the first checkpoint with the change') };
const ending = { status: text.describe('the status of the run'), stop_reason: text };

/** In the order in which a run may record them. */
export const RUN_EVENTS = {
  human_message: {
    category: 'message',
    when: 'a run is admitted, before it is running: once for each question over all attempts',
    content: message('human').describe("the person's message"),
    metadata: z.strictObject({
      follow_up_to_run_id: text.exactOptional().describe('the run that this one follows'),
    }),
  },
  run_start: {
    category: 'lifecycle',
    when: 'the run is taken up for the first time',
    content: nothing,
    metadata: z.strictObject({}),
  },
  llm_request: {
    category: 'trace',
    when: 'a model is about to be called',
    content: trace(
      z.strictObject({ model: text, messages: z.array(z.looseObject({ role: text })) }),
      '`{model, messages}` in chat-completion format',
    ),
    metadata: z.strictObject({ ...call, ...cut }),
  },
  llm_response: {
    category: 'trace',
    when: 'a model has replied',
    content: trace(z.looseObject({ id: text, model: text, choices: z.array(z.json()) }), 'a chat completion'),
    metadata: z.strictObject({
      ...call,
      ...asked,
      ...spent,
      latency_ms: z.number().min(0).describe('milliseconds from the request to the end of the reply'),
      ...cut,
    }),
  },
  llm_error: {
    category: 'error',
    when: 'a model call has failed',
    content: text.describe('the reason, as a sentence'),
    metadata: z.strictObject({
      ...call,
      ...asked,
      kind: text.describe('the kind of failure'),
      ...spentPerhaps,
      ...cut,
    }),
  },
  model_fallback: {
    category: 'trace',
    when: 'another model is called because the previous one failed before its first word',
    content: text.describe('the reason, as a sentence'),
    metadata: z.strictObject({
      caller: call.caller,
      model: text.describe('the model that is called instead'),
      failed_model: text,
      ...cut,
    }),
  },
  ai_tool_call: {
    category: 'message',
    when: "the lead agent's model has replied with tool calls",
    content: reply,
    metadata: z.strictObject({ ...finish, finish_reason: z.literal('tool_calls') }),
  },
  ai_message: {
    category: 'message',
    when: "the lead agent's model has replied without tool calls",
    content: reply,
    metadata: z.strictObject(finish),
  },
  tool_start: {
    category: 'trace',
    when: 'a tool is about to run',
    content: nothing,
    metadata: z.strictObject({
      ...tool,
      args: text.describe('the arguments as JSON, at most 2,000 characters'),
    }),
  },
  tool_end: {
    category: 'trace',
    when: 'a tool has finished or failed',
    content: text.describe('the text of its result, cut beyond the limit of traces'),
    metadata: z.strictObject({ ...tool, status, ...cut }),
  },
  tool_outcome_unknown: {
    category: 'trace',
    when: 'a tool that must not run twice was running when the service stopped; it does not run again',
    content: nothing,
    metadata: z.strictObject({
      ...tool,
      namespace: text.exactOptional().describe('the namespace of the sub-agent'),
    }),
  },
  tool_result: {
    category: 'message',
    when: 'a tool has finished or failed; for a tool that changes the state, only its message',
    content: toolMessage.describe('the tool message'),
    metadata: z.strictObject({ tool_name: text.nullable(), status }),
  },
  message_edited: {
    category: 'message',
    when: 'a state update or the input of a run edits a message; it belongs to the run of that message',
    content: z
      .union([message('human'), reply, toolMessage, message('system')])
      .describe('the edited message'),
    metadata: z.strictObject(revised),
  },
  message_removed: {
    category: 'message',
    when: 'a state update or the input of a run removes a message; it belongs to the run of that message',
    content: nothing,
    metadata: z.strictObject(revised),
  },
  'middleware:title': {
    category: 'middleware',
    when: 'the thread gets a title',
    content: work({ title: text }),
    metadata: z.strictObject({}),
  },
  'middleware:plan': {
    category: 'middleware',
    when: 'the agent is reminded because it was about to end with an unfinished plan',
    content: work({ plan_reminder: z.looseObject({ question_id: text, message_id: text }) }),
    metadata: z.strictObject({}),
  },
  'middleware:loops': {
    category: 'middleware',
    when: 'the model is warned because it repeats the same calls with the same arguments',
    content: work({ loop_warnings: z.array(z.looseObject({ message_id: text, tools: z.array(text) })) }),
    metadata: z.strictObject({}),
  },
  'middleware:goal': {
    category: 'middleware',
    when: 'a reply was judged against the goal of the thread: the agent continues (`continue`) or does not (`end`)',
    content: work(
      {
        status: text,
        continuations: z.int().describe('how often the agent has continued so far'),
        no_progress: z.int().describe('consecutive continuations without progress'),
        spent_tokens: tokens.describe('tokens of the runs that worked on the goal'),
        evaluation: z
          .looseObject({ message_id: text, verdict: text, reason: text })
          .describe('the judgement and the reply that it is about'),
      },
      z.enum(['continue', 'end']),
    ),
    metadata: z.strictObject({}),
  },
  'middleware:suggestions': {
    category: 'middleware',
    when: 'a client requested suggestions of what the person may want to say next; it belongs to the last run of the thread',
    content: work({ suggestions: z.array(text) }),
    metadata: z.strictObject({}),
  },
  'middleware:summarize': {
    category: 'middleware:summarize',
    when: 'a summary replaces older messages in the prompt',
    content: z.strictObject({ role: text, content: text }).describe('the summary'),
    metadata: z.strictObject({ replaced_count: tokens.describe('the number of messages that it replaces') }),
  },
  subagent_start: {
    category: 'subagent',
    when: 'a sub-agent starts a task',
    content: text.describe('the task'),
    metadata: z.strictObject({ ...task, description: text, ...cut }),
  },
  subagent_step: {
    category: 'subagent',
    when: 'a sub-agent has written a message, or one of its tools has a result',
    content: trace(z.union([reply, toolMessage]), 'the message'),
    metadata: z.strictObject({ ...subagent, ...cut }),
  },
  subagent_end: {
    category: 'subagent',
    when: 'a sub-agent has ended',
    content: text.describe('its reply, or why there is none'),
    metadata: z.strictObject({
      ...task,
      status: z.enum(['completed', 'failed', 'cancelled', 'timed_out']),
      ...cut,
    }),
  },
  run_end: {
    category: 'lifecycle',
    when: 'the run has ended and did not fail',
    content: nothing,
    metadata: z.strictObject(ending),
  },
  run_error: {
    category: 'lifecycle',
    when: 'the run has failed',
    content: text.describe('a sentence for the person'),
    metadata: z.strictObject({
      ...ending,
      error_type: text.describe('the name of the failure'),
      budget: z
        .enum(['run', 'user_day'])
        .exactOptional()
        .describe("if a budget was reached, which one: the run's own or its owner's for the day"),
    }),
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;

export type RunEventType = keyof typeof RUN_EVENTS;
export type RunEventMetadata<Type extends RunEventType> = z.input<(typeof RUN_EVENTS)[Type]['metadata']>;

export type UntimedEvent<Content extends Json | JsonText = Json | JsonText> = Omit<
  NewRunEvent<Content>,
  'createdAt'
>;

/** The only way to make an event: of a type in the table, with the category and metadata of that type. */
export function runEvent<Type extends RunEventType, Content extends Json | JsonText>(
  eventType: Type,
  content: Content,
  metadata: RunEventMetadata<Type> & JsonObject,
): UntimedEvent<Content> {
  return { eventType, category: RUN_EVENTS[eventType].category, content, metadata };
}

export function isRunEventType(text: string): text is RunEventType {
  return Object.hasOwn(RUN_EVENTS, text);
}

// The calls about runs, and the messages that start them.
import * as z from 'zod/mini';
import { type Call, Keyed, read, threadPath } from './call.ts';
import {
  type MessagePage,
  messagePageSchema,
  type ReplyPage,
  type ReplyRating,
  type Run,
  type RunUsage,
  replyIdSchema,
  runErrorSchema,
  runSchema,
  runUsageSchema,
  type ThreadUsage,
  threadUsageSchema,
} from './shapes.ts';

export interface SentRun {
  readonly threadId: string;
  /** The service creates the thread if it does not exist. */
  readonly isNew: boolean;
  /** The id is the key under which the service accepts the message once within a day. */
  readonly message: { readonly id: string };
  /** The agent unless it is the default one, and the options that the service reads under `config.configurable`. */
  readonly options: { readonly agent?: string | undefined };
}

/** An accepted run with the text of its message. */
export type StartedRun = z.infer<typeof startedSchema>;

/** A message whose run has not started. */
export interface QueuedMessage {
  readonly runId: string;
  readonly messageId: string;
  readonly text: string;
  readonly files: unknown;
}

/** The latest, the active and the waiting runs of a thread. */
export interface ThreadRuns {
  /** The newest run that has started. */
  readonly latest: Run | undefined;
  /** The current run, or the next one. */
  readonly active: Run | undefined;
  /** The runs that wait behind it, oldest first. */
  readonly queued: readonly QueuedMessage[];
  readonly ended: ReadonlySet<string>;
}

const PAGE_SIZE = 100;
/** A small number, because the page polls often and a person seldom queues more. */
const NEWEST_RUNS = 10;
/** More than a person queues. */
const MOST_QUEUED = 100;
export const RECURSION_LIMIT = 100;
const STREAM_MODES = ['values', 'messages-tuple', 'custom'];

const inputSchema = z.object({
  input: z.object({
    messages: z.array(
      z.object({
        id: z.optional(z.nullable(z.string())),
        content: z.unknown(),
        additional_kwargs: z.optional(z.nullable(z.object({ files: z.optional(z.unknown()) }))),
      }),
    ),
  }),
});
const queuedSchema = z.object({ run_id: z.string(), kwargs: inputSchema });
const startedSchema = z.pipe(
  queuedSchema,
  z.transform(({ run_id, kwargs }) => ({ run_id, text: textOf(kwargs) })),
);

export function createRunCalls(call: Call) {
  return {
    /** Sends a message. Its run waits for earlier ones. */
    async startRun({ threadId, isNew, message, options }: SentRun): Promise<StartedRun> {
      const { agent = 'lead_agent', ...configurable } = options;
      const body = {
        assistant_id: agent,
        input: { messages: [message] },
        config: { recursion_limit: RECURSION_LIMIT, configurable },
        stream_mode: STREAM_MODES,
        stream_resumable: true,
        multitask_strategy: 'enqueue',
        ...(isNew ? { if_not_exists: 'create' } : {}),
      };
      return read(await call('POST', runsPath(threadId), new Keyed(message.id, body)), startedSchema);
    },
    async threadRuns(threadId: string): Promise<ThreadRuns> {
      const newest = await newestRuns(call, threadId, NEWEST_RUNS);
      const isAll = newest.length < NEWEST_RUNS || newest.some(isEnded);
      const runs = isAll ? newest : await newestRuns(call, threadId, MOST_QUEUED);
      const active = runs.filter((run) => !isEnded(run));
      const first = active.at(-1);
      const ended = runs.filter(isEnded);
      const begun = ended.find(({ started_at: at }) => at !== null);
      const queued = active.length > 1 ? await queuedBehind(call, threadId, first?.run_id) : [];
      return { latest: first ?? begun, active: first, queued, ended: idsOf(ended) };
    },
    /** Cancels a run. One that has not started leaves nothing behind. */
    cancelRun: (threadId: string, runId: string) =>
      call('POST', `${runsPath(threadId)}/${encodeURIComponent(runId)}/cancel?wait=true`),
    /** Returns the usage of the thread's runs, newest first, starting at `offset`. */
    async runUsage(threadId: string, offset: number): Promise<readonly RunUsage[]> {
      const path = `${runsPath(threadId)}?limit=${PAGE_SIZE}&offset=${offset}${selected(runUsageSchema)}`;
      return read(await call('GET', path), z.array(runUsageSchema));
    },
    threadUsage: async (threadId: string): Promise<ThreadUsage> =>
      read(await call('GET', `${threadPath(threadId)}/token-usage`), threadUsageSchema),
    /** Returns the budget that ended the run. Undefined when none did, or when it is not recorded. */
    async budgetThatEnded(threadId: string, runId: string): Promise<'run' | 'user_day' | undefined> {
      const path = `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}/events?event_types=run_error`;
      const failures = await read(await call('GET', path), z.array(runErrorSchema));
      return failures.at(-1)?.metadata.budget;
    },
  };
}

async function newestRuns(call: Call, threadId: string, limit: number): Promise<readonly Run[]> {
  const path = `${runsPath(threadId)}?limit=${limit}&offset=0${selected(runSchema)}`;
  return read(await call('GET', path), z.array(runSchema));
}

function isEnded({ status }: Run): boolean {
  return status !== 'pending' && status !== 'running';
}

async function queuedBehind(
  call: Call,
  threadId: string,
  first: string | undefined,
): Promise<readonly QueuedMessage[]> {
  const path = `${runsPath(threadId)}?status=pending&limit=${MOST_QUEUED}&offset=0&select=run_id&select=kwargs`;
  const runs = await read(await call('GET', path), z.array(queuedSchema));
  return runs
    .filter(({ run_id }) => run_id !== first)
    .reverse()
    .flatMap(({ run_id: runId, kwargs }) => {
      const message = kwargs.input.messages.at(-1);
      const text = textOf(kwargs);
      if (message?.id == null || text === undefined) return [];
      return [{ runId, messageId: message.id, text, files: message.additional_kwargs?.files }];
    });
}

function idsOf(runs: readonly Run[]): ReadonlySet<string> {
  return new Set(runs.map(({ run_id }) => run_id));
}

/** Returns the text of the last message. Undefined when it has none. */
function textOf({ input }: z.infer<typeof inputSchema>): string | undefined {
  const content = input.messages.at(-1)?.content;
  return typeof content === 'string' ? content : undefined;
}

function selected(schema: { readonly shape: object }): string {
  return Object.keys(schema.shape)
    .map((field) => `&select=${field}`)
    .join('');
}

function runsPath(threadId: string): string {
  return `/api/graph/threads/${encodeURIComponent(threadId)}/runs`;
}

const REPLIES_PAGE_SIZE = 100;

export function createRatingCalls(call: Call) {
  const feedbackPath = (threadId: string, { runId }: ReplyRating) =>
    `${threadPath(threadId)}/runs/${encodeURIComponent(runId)}/feedback`;
  return {
    /** Returns one page of the record: the newest one, or the one before a position. */
    async repliesBefore(threadId: string, seq: number | undefined): Promise<ReplyPage> {
      const before = seq === undefined ? '' : `&before_seq=${seq}`;
      const path = `${threadPath(threadId)}/messages/page?limit=${REPLIES_PAGE_SIZE}${before}`;
      const { data, next_before_seq: next } = await read(await call('GET', path), messagePageSchema);
      const messages = data.flatMap((it) => idOf(it).map((id) => ({ id, runId: it.run_id })));
      return { messages, replies: data.flatMap(replyOf), next };
    },
    rate: (threadId: string, reply: ReplyRating, { value, comment }: NonNullable<ReplyRating['rating']>) =>
      call('PUT', feedbackPath(threadId, reply), {
        rating: value,
        message_id: reply.replyId,
        comment: comment === '' ? null : comment,
      }),
    unrate: (threadId: string, reply: ReplyRating) => call('DELETE', feedbackPath(threadId, reply)),
  };
}

type RecordedMessage = MessagePage['data'][number];

function idOf({ content }: RecordedMessage): readonly string[] {
  const message = z.safeParse(replyIdSchema, content);
  return message.success ? [message.data.id] : [];
}

function replyOf(message: RecordedMessage): readonly ReplyRating[] {
  const { run_id: runId, feedback } = message;
  if (feedback === undefined) return [];
  const rating = feedback === null ? undefined : { value: feedback.rating, comment: feedback.comment ?? '' };
  return idOf(message).map((replyId) => ({ replyId, runId, rating }));
}

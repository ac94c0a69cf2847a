// The calls about runs: the messages that people send, and what becomes of them.
import * as z from 'zod/mini';
import { type Call, Keyed, read, threadPath } from './call.ts';
import {
  type Run,
  type RunUsage,
  runErrorSchema,
  runSchema,
  runUsageSchema,
  type ThreadUsage,
  threadUsageSchema,
} from './shapes.ts';

export interface SentRun {
  readonly threadId: string;
  /** The thread is made if it is not there. */
  readonly isNew: boolean;
  /** Its id is the key under which the service takes it once, within a day. */
  readonly message: { readonly id: string };
  /** The agent, where it is not that of the service; and what the service reads under `config.configurable`. */
  readonly options: { readonly agent?: string | undefined };
}

/** A run that was accepted; `text` is that of its message. */
export type StartedRun = z.infer<typeof startedSchema>;

/** A message whose run has not begun. */
export interface QueuedMessage {
  readonly runId: string;
  readonly messageId: string;
  readonly text: string;
  readonly files: unknown;
}

/** What the runs of a thread are about, newest first. */
export interface ThreadRuns {
  /** The newest one that has begun, or ended otherwise than in the queue. */
  readonly latest: Run | undefined;
  /** The one that runs, or is the next to run. */
  readonly active: Run | undefined;
  /** What waits behind it, oldest first. */
  readonly queued: readonly QueuedMessage[];
  readonly ended: ReadonlySet<string>;
}

const PAGE_SIZE = 100;
/** Asked for again and again; a person seldom queues more. */
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
    /** Sends a message; the run waits for those before it. */
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
    /** Ends a run; one that has not begun leaves nothing behind. */
    cancelRun: (threadId: string, runId: string) =>
      call('POST', `${runsPath(threadId)}/${encodeURIComponent(runId)}/cancel?wait=true`),
    /** What runs of the thread took, newest first, from the one at `offset` on. */
    async runUsage(threadId: string, offset: number): Promise<readonly RunUsage[]> {
      const path = `${runsPath(threadId)}?limit=${PAGE_SIZE}&offset=${offset}${selected(runUsageSchema)}`;
      return read(await call('GET', path), z.array(runUsageSchema));
    },
    threadUsage: async (threadId: string): Promise<ThreadUsage> =>
      read(await call('GET', `${threadPath(threadId)}/token-usage`), threadUsageSchema),
    /** Which budget ended the run; undefined where none did, or it is not recorded. */
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

/** The words of the last message; undefined where there are none. */
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

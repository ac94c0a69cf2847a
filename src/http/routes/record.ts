// The record of a thread: pages of messages and of events (docs/contract/record.md).
import { z } from 'zod';
import { taskOf } from '../../messages/agent-namespace.ts';
import { type ConversationPage, conversationPage } from '../../runs/record/conversation.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type {
  EventCursor,
  EventPage,
  EventPageQuery,
  RunEventQuery,
  RunEventRecord,
  RunEventRepository,
} from '../../storage/run-events.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { AppContext } from '../api/context.ts';
import { queryInteger, queryLimit, queryNames } from '../api/query-list.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import {
  messageEventBodySchema,
  presentMessage,
  presentRunEvent,
  runEventBodySchema,
} from '../presenters/run-event.ts';

const MAX_TYPES = 50;

const seq = queryInteger({ min: 0, max: Number.MAX_SAFE_INTEGER }).optional();
const cursors = {
  before_seq: seq.describe('Only entries with a smaller `seq`, largest first chosen. Not with `after_seq`'),
  after_seq: seq.describe('Only entries with a larger `seq`, smallest first chosen. Not with `before_seq`'),
};

type Cursors = z.output<z.ZodObject<typeof cursors>>;

/** A page is on one side of one position. */
const ONE_CURSOR = { error: 'Give before_seq or after_seq, not both', path: ['after_seq'] };
const hasOneCursor = ({ before_seq, after_seq }: Cursors) =>
  before_seq === undefined || after_seq === undefined;

const messageQuerySchema = z
  .object({ limit: queryLimit('Messages', { max: 200, usual: 50 }), ...cursors })
  .refine(hasOneCursor, ONE_CURSOR);

type MessageQuery = z.output<typeof messageQuerySchema>;

const eventFields = {
  limit: queryLimit('Events', { max: 2_000, usual: 500 }),
  ...cursors,
  event_types: queryNames()
    .refine((types) => types.length <= MAX_TYPES, `at most ${MAX_TYPES} types`)
    .optional()
    .describe('Only events of these types: `a,b`, or the parameter several times'),
};

const eventQuerySchema = z.object(eventFields).refine(hasOneCursor, ONE_CURSOR);

/** Events of one run, or only those of one of its sub-agents. */
const runEventQuerySchema = z
  .object({
    ...eventFields,
    task_id: z
      .string()
      .min(1)
      .max(4_096)
      .optional()
      .describe('The call that gave the task: the instructions, messages and result of its sub-agent'),
  })
  .refine(hasOneCursor, ONE_CURSOR);

type EventQuery = z.output<typeof eventQuerySchema>;

function messagePage({ limit, ...query }: MessageQuery): EventPageQuery {
  return { limit, cursor: cursorOf(query) };
}

/** Returns the page query. Without types, it covers all of them. */
function eventPage({ limit, event_types: types = [], ...query }: EventQuery) {
  return { limit, cursor: cursorOf(query), ...(types.length === 0 ? {} : { eventTypes: types }) };
}

function cursorOf({ before_seq, after_seq }: Cursors): EventCursor {
  if (before_seq !== undefined) return { kind: 'before', seq: before_seq };
  return after_seq === undefined ? { kind: 'newest' } : { kind: 'after', seq: after_seq };
}

interface RecordRouteDependencies {
  readonly runs: Pick<RunService, 'get' | 'find'>;
}

const messageList = z.array(messageEventBodySchema);
const messagesResponse = {
  description: 'Messages by ascending `seq`; `has_more` refers to the direction of paging',
  schema: z.object({ data: messageList, has_more: z.boolean() }),
};
const eventsResponse = { description: 'Events in rising `seq`', schema: z.array(runEventBodySchema) };

export function recordRoutes(routes: RouteTable, dependencies: RecordRouteDependencies): void {
  mountThreadMessages(routes);
  mountRunMessages(routes, dependencies);
  mountEvents(routes, dependencies);
}

function mountThreadMessages(routes: RouteTable): void {
  routes.get('/api/threads/{thread_id}/messages', {
    operationId: 'listMessages',
    summary: 'Messages of the thread; the newest ones without a cursor',
    thread: 'read',
    query: messageQuerySchema,
    responses: ok('Messages in rising `seq`', messageList),
    handle: async (c, { query }) => c.json((await threadPage(c, query)).messages.map(presentMessage)),
  });
  routes.get('/api/threads/{thread_id}/messages/page', {
    operationId: 'listMessagePage',
    summary: 'A page of the messages of the thread, with the cursor of the page before it',
    thread: 'read',
    query: messageQuerySchema,
    responses: ok(
      'Messages by ascending `seq`; `next_before_seq` is the cursor of the older page, if there is one',
      messagesResponse.schema.extend({ next_before_seq: z.int().nullable() }),
    ),
    handle: async (c, { query }) => {
      const page = await threadPage(c, query);
      const leavesOlder = page.hasMore && query.after_seq === undefined;
      const nextBeforeSeq = leavesOlder ? (page.messages[0]?.event.seq ?? null) : null;
      return c.json({ ...presentPage(page), next_before_seq: nextBeforeSeq });
    },
  });
}

function mountRunMessages(routes: RouteTable, { runs }: RecordRouteDependencies): void {
  const route = {
    summary: 'Messages of a run',
    errors: ['not_found'],
    query: messageQuerySchema,
    responses: { 200: messagesResponse },
  } as const;
  routes.get('/api/threads/{thread_id}/runs/{run_id}/messages', {
    ...route,
    operationId: 'listRunMessages',
    thread: 'read',
    handle: async (c, { query }) => {
      const { repositories, thread } = c.var;
      const runId = pathParam(c, 'run_id');
      const [page] = await Promise.all([
        conversationPage(repositories, thread.threadId, { ...messagePage(query), runId }),
        // A missing run, or one of another thread, has an empty page but must be a 404.
        runs.get(repositories, thread.threadId, runId),
      ]);
      return c.json(presentPage(page));
    },
  });
  routes.get('/api/runs/{run_id}/messages', {
    ...route,
    operationId: 'listMessagesOfRun',
    handle: async (c, { query }) => {
      const { threadId, runId } = await runs.find(c.var.repositories, pathParam(c, 'run_id'));
      const page = await conversationPage(c.var.repositories, threadId, { ...messagePage(query), runId });
      return c.json(presentPage(page));
    },
  });
}

function mountEvents(routes: RouteTable, { runs }: RecordRouteDependencies): void {
  const route = { thread: 'read', responses: { 200: eventsResponse } } as const;
  routes.get('/api/threads/{thread_id}/events', {
    ...route,
    operationId: 'listEvents',
    query: eventQuerySchema,
    summary: 'Everything recorded about the thread',
    handle: async (c, { query }) => {
      const { repositories, thread } = c.var;
      const { events } = await repositories.runEvents.list(thread.threadId, eventPage(query));
      return c.json(events.map(presentRunEvent));
    },
  });
  routes.get('/api/threads/{thread_id}/runs/{run_id}/events', {
    ...route,
    operationId: 'listRunEvents',
    summary: 'Everything recorded about a run, or about one of its sub-agents',
    query: runEventQuerySchema,
    handle: async (c, { query }) => {
      const { repositories, thread } = c.var;
      const runId = pathParam(c, 'run_id');
      const page = { ...eventPage(query), runId };
      const [events] = await Promise.all([
        eventsOf(repositories, thread.threadId, { page, taskId: query.task_id }),
        runs.get(repositories, thread.threadId, runId),
      ]);
      return c.json(events.map(presentRunEvent));
    },
  });
}

async function eventsOf(
  { runEvents }: Repositories,
  threadId: string,
  { page, taskId }: { readonly page: RunEventQuery; readonly taskId: string | undefined },
): Promise<readonly RunEventRecord[]> {
  if (taskId !== undefined) return eventsOfTask(runEvents, threadId, { ...page, taskId });
  return (await runEvents.list(threadId, page)).events;
}

function threadPage(c: AppContext, query: MessageQuery): Promise<ConversationPage> {
  return conversationPage(c.var.repositories, c.var.thread.threadId, messagePage(query));
}

function presentPage({ messages, hasMore }: ConversationPage) {
  return { data: messages.map(presentMessage), has_more: hasMore };
}

/** Events of sub-agents. A task that another sub-agent gave is at the end of a longer namespace. */
const OF_TASKS = ['subagent_start', 'subagent_step', 'subagent_end'];
const PAGE = 500;

/** Returns a page of a sub-agent's instructions, messages and result in rising `seq`. */
async function eventsOfTask(
  runEvents: Pick<RunEventRepository, 'list'>,
  threadId: string,
  { taskId, eventTypes, ...query }: RunEventQuery & { readonly taskId: string },
): Promise<readonly RunEventRecord[]> {
  const place = `tools:${taskOf(taskId)}`;
  const types = OF_TASKS.filter((type) => eventTypes?.includes(type) ?? true);
  const isForward = query.cursor.kind === 'after';
  let found: readonly RunEventRecord[] = [];
  for (let cursor: EventCursor | undefined = query.cursor; cursor !== undefined; ) {
    const page: EventPage = await runEvents.list(threadId, {
      ...query,
      cursor,
      eventTypes: types,
      limit: PAGE,
    });
    const mine = page.events.filter(({ metadata: { namespace } }) => isAt(place, namespace));
    found = isForward ? [...found, ...mine] : [...mine, ...found];
    cursor = found.length < query.limit ? cursorBehind(page, isForward ? 'after' : 'before') : undefined;
  }
  return isForward ? found.slice(0, query.limit) : found.slice(-query.limit);
}

function cursorBehind({ events, hasMore }: EventPage, kind: 'after' | 'before'): EventCursor | undefined {
  const end = events.at(kind === 'after' ? -1 : 0);
  return hasMore && end !== undefined ? { kind, seq: end.seq } : undefined;
}

function isAt(place: string, namespace: unknown): boolean {
  return typeof namespace === 'string' && (namespace === place || namespace.endsWith(`|${place}`));
}

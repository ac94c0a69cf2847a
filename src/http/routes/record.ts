// What happened in a thread: messages, page by page, and events (docs/contract/record.md).
import { z } from 'zod';
import { taskOf } from '../../messages/agent-namespace.ts';
import { type ConversationPage, conversationPage } from '../../runs/record/conversation.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type {
  EventCursor,
  EventPage,
  RunEventQuery,
  RunEventRecord,
  RunEventRepository,
} from '../../storage/run-events.ts';
import type { Repositories } from '../../storage/storage.ts';
import type { AppContext } from '../api/context.ts';
import type { MountRoutes } from '../api/route-table.ts';
import {
  messageEventBodySchema,
  presentMessage,
  presentRunEvent,
  runEventBodySchema,
} from '../presenters/run-event.ts';
import {
  type EventQuery,
  eventPage,
  eventQuerySchema,
  type MessageQuery,
  messagePage,
  messageQuerySchema,
  type RunEventQueryFields,
  runEventQuerySchema,
} from './event-query.ts';

interface RecordRouteDependencies {
  readonly runs: Pick<RunService, 'get' | 'find'>;
}

const messageList = z.array(messageEventBodySchema);
const messagesResponse = {
  description: 'Messages in rising `seq`; `has_more` in the direction of the paging',
  schema: z.object({ data: messageList, has_more: z.boolean() }),
};
const eventsResponse = { description: 'Events in rising `seq`', schema: z.array(runEventBodySchema) };

export function recordRoutes(dependencies: RecordRouteDependencies): MountRoutes {
  return (routes) => {
    mountThreadMessages(routes);
    mountRunMessages(dependencies)(routes);
    mountEvents(dependencies)(routes);
  };
}

const mountThreadMessages: MountRoutes = (routes) => {
  routes.add<undefined, MessageQuery>({
    method: 'get',
    path: '/api/threads/{thread_id}/messages',
    operationId: 'listMessages',
    summary: 'Messages of the thread, the newest ones unless a cursor says otherwise',
    thread: 'read',
    query: messageQuerySchema,
    responses: { 200: { description: 'Messages in rising `seq`', schema: messageList } },
    handle: async (c, { query }) => c.json((await threadPage(c, query)).messages.map(presentMessage)),
  });
  routes.add<undefined, MessageQuery>({
    method: 'get',
    path: '/api/threads/{thread_id}/messages/page',
    operationId: 'listMessagePage',
    summary: 'A page of the messages of the thread, and where the one before it ends',
    thread: 'read',
    query: messageQuerySchema,
    responses: {
      200: {
        description:
          'Messages in rising `seq`; `next_before_seq` is the cursor of the older page, if there is one',
        schema: messagesResponse.schema.extend({ next_before_seq: z.int().nullable() }),
      },
    },
    handle: async (c, { query }) => {
      const page = await threadPage(c, query);
      const leavesOlder = page.hasMore && query.after_seq === undefined;
      const nextBeforeSeq = leavesOlder ? (page.messages[0]?.event.seq ?? null) : null;
      return c.json({ ...presentPage(page), next_before_seq: nextBeforeSeq });
    },
  });
};

function mountRunMessages({ runs }: RecordRouteDependencies): MountRoutes {
  const route = {
    method: 'get',
    summary: 'Messages of a run',
    errors: ['not_found'],
    query: messageQuerySchema,
    responses: { 200: messagesResponse },
  } as const;
  return (routes) => {
    routes.add<undefined, MessageQuery>({
      ...route,
      operationId: 'listRunMessages',
      path: '/api/threads/{thread_id}/runs/{run_id}/messages',
      thread: 'read',
      handle: async (c, { query }) => {
        const { repositories, thread } = c.var;
        const runId = runIdOf(c);
        const [page] = await Promise.all([
          conversationPage(repositories, thread.threadId, { ...messagePage(query), runId }),
          // A run of another thread, or none, has an empty page; it is a 404.
          runs.get(repositories, thread.threadId, runId),
        ]);
        return c.json(presentPage(page));
      },
    });
    routes.add<undefined, MessageQuery>({
      ...route,
      operationId: 'listMessagesOfRun',
      path: '/api/runs/{run_id}/messages',
      handle: async (c, { query }) => {
        const { threadId, runId } = await runs.find(c.var.repositories, runIdOf(c));
        const page = await conversationPage(c.var.repositories, threadId, { ...messagePage(query), runId });
        return c.json(presentPage(page));
      },
    });
  };
}

function mountEvents({ runs }: RecordRouteDependencies): MountRoutes {
  const route = { method: 'get', thread: 'read', responses: { 200: eventsResponse } } as const;
  return (routes) => {
    routes.add<undefined, EventQuery>({
      ...route,
      path: '/api/threads/{thread_id}/events',
      operationId: 'listEvents',
      query: eventQuerySchema,
      summary: 'Everything that was recorded of the thread',
      handle: async (c, { query }) => {
        const { repositories, thread } = c.var;
        const { events } = await repositories.runEvents.list(thread.threadId, eventPage(query));
        return c.json(events.map(presentRunEvent));
      },
    });
    routes.add<undefined, RunEventQueryFields>({
      ...route,
      path: '/api/threads/{thread_id}/runs/{run_id}/events',
      operationId: 'listRunEvents',
      summary: 'Everything that was recorded of a run, or of one of its sub-agents',
      query: runEventQuerySchema,
      handle: async (c, { query }) => {
        const { repositories, thread } = c.var;
        const runId = runIdOf(c);
        const page = { ...eventPage(query), runId };
        const [events] = await Promise.all([
          eventsOf(repositories, thread.threadId, { page, taskId: query.task_id }),
          runs.get(repositories, thread.threadId, runId),
        ]);
        return c.json(events.map(presentRunEvent));
      },
    });
  };
}

async function eventsOf(
  { runEvents }: Repositories,
  threadId: string,
  { page, taskId }: { readonly page: RunEventQuery; readonly taskId: string | undefined },
): Promise<readonly RunEventRecord[]> {
  if (taskId !== undefined) return eventsOfTask(runEvents, threadId, { ...page, taskId });
  return (await runEvents.list(threadId, page)).events;
}

function runIdOf(c: AppContext): string {
  return c.req.param('run_id') ?? '';
}

function threadPage(c: AppContext, query: MessageQuery): Promise<ConversationPage> {
  return conversationPage(c.var.repositories, c.var.thread.threadId, messagePage(query));
}

function presentPage({ messages, hasMore }: ConversationPage) {
  return { data: messages.map(presentMessage), has_more: hasMore };
}

/** A task that another sub-agent gave is at the end of a longer namespace. */
const OF_TASKS = ['subagent_start', 'subagent_step', 'subagent_end'];
const PAGE = 500;

/** A page of what the sub-agent was told, said and came to, in rising `seq`. */
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

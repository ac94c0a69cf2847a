// A live stream of changes to the user's threads.
import { z } from 'zod';
import type { ThreadChange, ThreadChanges } from '../../runs/reading/thread-changes.ts';
import type { RouteTable } from '../api/route-table.ts';
import { presentThread } from '../presenters/thread.ts';
import { eventsResponse } from '../streams/live-response.ts';
import type { OpenStreams } from '../streams/open-streams.ts';
import { withoutLineEnds } from '../streams/sse.ts';

export interface ThreadChangeDependencies {
  readonly threadChanges: Pick<ThreadChanges, 'read'>;
  readonly openStreams: OpenStreams;
}

export function threadChangeRoutes(
  routes: RouteTable,
  { threadChanges, openStreams }: ThreadChangeDependencies,
): void {
  routes.get('/api/thread-changes', {
    operationId: 'followThreads',
    summary: "Follow the user's threads: `ready`, then a `thread` or `thread_deleted` event for each change",
    responses: {
      200: {
        description:
          'Events. The data of `thread` is the thread and its newest `checkpoint_id`; changes before `ready` are not reported.',
        contentType: 'text/event-stream',
        schema: z.string().meta({
          examples: [
            'event: ready\ndata: {}\n\nevent: thread_deleted\ndata: {"thread_id":"01993f5a-7b1e-7c40-9d3a-5f2b8c6e1a20"}\n\n',
          ],
        }),
      },
    },
    handle: (c) => {
      const { user, repositories } = c.var;
      return eventsResponse(c, {
        openStreams,
        textsUntil: async (signal) => textsOf(threadChanges.read({ userId: user.id, repositories, signal })),
      });
    },
  });
}

async function* textsOf(
  batches: AsyncGenerator<readonly ThreadChange[], void, void>,
): AsyncGenerator<string, void, void> {
  for await (const changes of batches) {
    yield changes.length === 0 ? eventText('ready', {}) : changes.map(changeText).join('');
  }
}

function changeText(change: ThreadChange): string {
  if (change.kind === 'deleted') return eventText('thread_deleted', { thread_id: change.threadId });
  const { thread } = change;
  return eventText('thread', { ...presentThread(thread), checkpoint_id: thread.headCheckpointId });
}

function eventText(event: string, data: object): string {
  return withoutLineEnds(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
}

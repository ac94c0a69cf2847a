// The events of one sub-agent, by the call that gave it its task.
import { taskOf } from '../../messages/agent-namespace.ts';
import type {
  EventCursor,
  EventPage,
  RunEventQuery,
  RunEventRecord,
  RunEventRepository,
} from '../../storage/run-events.ts';

/** A task that another sub-agent gave is at the end of a longer namespace. */
const OF_TASKS = ['subagent_start', 'subagent_step', 'subagent_end'];
const PAGE = 500;

/** A page of what the sub-agent was told, said and came to, in rising `seq`. */
export async function eventsOfTask(
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

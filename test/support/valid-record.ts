// Compares everything that a service has recorded with the catalogue of run events.
import { z } from 'zod';
import { isRunEventType, RUN_EVENTS } from '../../src/runs/record/run-event-catalogue.ts';
import type { RunEventRecord } from '../../src/storage/run-events.ts';
import { type Storage, UNSCOPED } from '../../src/storage/storage.ts';

const ALL = 100_000;

/** Returns a sentence for each recorded event that violates the catalogue. */
export async function strangeEvents(storage: Storage): Promise<readonly string[]> {
  const { threads, runEvents } = storage.as(UNSCOPED);
  const query = { limit: 1_000, offset: 0, sortBy: 'updated_at', sortOrder: 'desc' } as const;
  const problems: string[] = [];
  for (const { threadId } of await threads.search(query)) {
    const { events } = await runEvents.list(threadId, { cursor: { kind: 'newest' }, limit: ALL });
    problems.push(...events.flatMap((event) => eventProblem(event) ?? []));
  }
  return problems;
}

function eventProblem({ eventType, category, content, metadata }: RunEventRecord): string | undefined {
  if (!isRunEventType(eventType)) return `'${eventType}' is not in the catalogue of run events.`;
  const entry = RUN_EVENTS[eventType];
  const isJson = typeof content === 'string' ? z.undefined().optional() : z.literal(true);
  const recorded = z.object({
    category: z.literal(entry.category),
    content: entry.content,
    metadata: entry.metadata.extend({ content_is_json: isJson }),
  });
  const checked = recorded.safeParse({ category, content, metadata });
  if (checked.success) return undefined;
  const shown = JSON.stringify({ content, metadata }).slice(0, 500);
  return `A recorded '${eventType}' is not as the catalogue says: ${z.prettifyError(checked.error)}\n${shown}`;
}

// The rows of a thread that comes out of a package: its runs, which ended somewhere else, its events, and which of
// them are messages of the conversation.
import type { EndedRun, ImportedEvent } from '../../thread-packages.ts';
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REPEATED, REVISION_EVENTS } from '../database/message-marks.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { judgedMessages, markAsFolded } from '../messages/thread-lineage.ts';
import { RUN_COLUMNS, toRunRow } from '../runs/run-rows.ts';

interface OwnedEvents {
  readonly threadId: string;
  readonly userId: string;
  readonly events: readonly ImportedEvent[];
}

/** Appends them behind those of the thread, and marks those that are no messages of the conversation. */
export async function appendImportedEvents(
  trx: WriteTransaction,
  appendRunEvents: RecordWriters['appendRunEvents'],
  { events, ...owned }: OwnedEvents,
): Promise<void> {
  const { threadId } = owned;
  const added = await appendRunEvents(trx, batchesOf(events, owned));
  const marks = events.map(markOf);
  for (const [mark, seqs] of Map.groupBy(added, (_, index) => marks[index] ?? 0)) {
    if (mark === 0) continue;
    const marked = trx.updateTable('run_events').set({ is_replaced: mark }).where('thread_id', '=', threadId);
    await marked.where('seq', 'in', seqs).execute();
  }
}

const NEVER_LISTED: ReadonlySet<string> = new Set(REVISION_EVENTS);

/** Why the event is no message of the conversation; what was removed from it is found out when all has come. */
function markOf({ eventType, replaced, repeated }: ImportedEvent): number {
  const isLeft = replaced || NEVER_LISTED.has(eventType);
  return (isLeft ? LEFT_BEHIND : 0) + (repeated ? REPEATED : 0);
}

/** Neighbours of one run are one batch: the order of the events is that of the package. */
function batchesOf(
  events: readonly ImportedEvent[],
  owned: { readonly threadId: string; readonly userId: string },
) {
  const batches: { threadId: string; userId: string; runId: string; events: ImportedEvent[] }[] = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (last?.runId === event.runId) last.events.push(event);
    else batches.push({ ...owned, runId: event.runId, events: [event] });
  }
  return batches;
}

/** A run that was left out may have left messages behind; the thread stands where they are. */
export async function remarkImported(
  trx: WriteTransaction,
  threadId: string,
  headId: string | null,
): Promise<void> {
  for await (const message of judgedMessages(trx, threadId, headId))
    if (message.stored !== message.folded) await markAsFolded(trx, threadId, message);
}

interface EndedRuns {
  readonly threadId: string;
  readonly userId: string;
  readonly runs: readonly EndedRun[];
}

type InsertEndedRuns = (trx: WriteTransaction, rows: EndedRuns) => Promise<void>;

/** What only runs have that are executed here, or are yet to be. */
const NOT_EXECUTED = {
  epochs: [],
  leaseOwner: null,
  formerHead: undefined,
  startAfter: null,
  cancel: null,
  numbersFrom: null,
} as const;

/** There is no stream to prune. */
const NO_FRAMES = 1;

export function createInsertEndedRuns(database: Database): InsertEndedRuns {
  const insert = createBulkInsert(database.queries, {
    into: 'runs',
    columns: [...RUN_COLUMNS, 'frames_pruned'],
  });
  return async (trx, { threadId, userId, runs }) => {
    const rows = runs.map((run) => {
      const kwargs = database.packed(JSON.stringify(run.kwargs));
      return toRunRow({ ...run, ...NOT_EXECUTED, threadId, userId }, kwargs);
    });
    const ended = rows.map((row) => ({ ...row, frames_pruned: NO_FRAMES }));
    await insert(trx, ended);
  };
}

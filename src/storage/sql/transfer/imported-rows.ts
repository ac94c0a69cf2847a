// The rows of a thread from a package: its runs, which ended elsewhere, its checkpoints and feedback, its
// events, and which of them are messages of the conversation.
import type { ImportedEvent, ImportedRows } from '../../thread-packages.ts';
import { createBulkInsert } from '../database/bulk-statement.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { LEFT_BEHIND, REPEATED, REVISION_EVENTS } from '../database/message-marks.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { judgedMessages, markAsFolded } from '../messages/thread-lineage.ts';
import { FEEDBACK } from '../personal/feedback-repository.ts';
import { RUN_COLUMNS, toRunRow } from '../runs/run-rows.ts';

/** A thread that is being imported, and its future owner. */
interface ImportedThread {
  readonly threadId: string;
  readonly userId: string;
}

/** Values of runs that were not executed here. */
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

export function createInsertImportedRows(
  database: Database,
  { insertCheckpoints, appendRunEvents }: Pick<RecordWriters, 'insertCheckpoints' | 'appendRunEvents'>,
) {
  const insertRuns = createBulkInsert(database.queries, {
    into: 'runs',
    columns: [...RUN_COLUMNS, 'frames_pruned'],
  });
  return async (trx: WriteTransaction, thread: ImportedThread, rows: ImportedRows): Promise<void> => {
    const { runs, checkpoints, feedback, events } = rows;
    const ended = runs.map((run) => {
      const kwargs = database.packed(JSON.stringify(run.kwargs));
      return { ...toRunRow({ ...run, ...NOT_EXECUTED, ...thread }, kwargs), frames_pruned: NO_FRAMES };
    });
    await insertRuns(trx, ended);
    const added = checkpoints.map((checkpoint) => ({ ...thread, checkpoint }));
    await insertCheckpoints(trx, added);
    const ratings = feedback.map((rating) => FEEDBACK.columnsOf({ ...rating, ...thread }));
    if (ratings.length > 0) await trx.insertInto('feedback').values(ratings).execute();
    const seqs = await appendRunEvents(trx, batchesOf(events, thread));
    await setMarks(trx, thread.threadId, { events, seqs });
  };
}

/** Groups neighbouring events of one run, so that the events keep their order. */
function batchesOf(events: readonly ImportedEvent[], thread: ImportedThread) {
  const batches: (ImportedThread & { readonly runId: string; readonly events: ImportedEvent[] })[] = [];
  for (const event of events) {
    const last = batches.at(-1);
    if (last?.runId === event.runId) last.events.push(event);
    else batches.push({ ...thread, runId: event.runId, events: [event] });
  }
  return batches;
}

/** Marks the events that are no messages of the conversation. */
async function setMarks(
  trx: WriteTransaction,
  threadId: string,
  { events, seqs }: { readonly events: readonly ImportedEvent[]; readonly seqs: readonly number[] },
): Promise<void> {
  const marks = events.map(markOf);
  for (const [mark, marked] of Map.groupBy(seqs, (_, index) => marks[index] ?? 0)) {
    if (mark === 0) continue;
    const rows = trx.updateTable('run_events').set({ is_replaced: mark }).where('thread_id', '=', threadId);
    await rows.where('seq', 'in', marked).execute();
  }
}

const NEVER_LISTED: ReadonlySet<string> = new Set(REVISION_EVENTS);

/** Returns why the event is no message of the conversation. Removals are applied when all rows are there. */
function markOf({ eventType, replaced, repeated }: ImportedEvent): number {
  const isLeft = replaced || NEVER_LISTED.has(eventType);
  return (isLeft ? LEFT_BEHIND : 0) + (repeated ? REPEATED : 0);
}

/** Marks messages by the lineage of the head. A run that the package omits may have left some behind. */
export async function remarkImported(
  trx: WriteTransaction,
  threadId: string,
  headId: string | null,
): Promise<void> {
  for await (const message of judgedMessages(trx, threadId, headId))
    if (message.stored !== message.folded) await markAsFolded(trx, threadId, message);
}

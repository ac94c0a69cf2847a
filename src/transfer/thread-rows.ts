// Checks the lines of a thread against each other, and converts them to rows.
import { withoutReservedKeys } from '../messages/reserved-keys.ts';
import type { CheckpointTexts, NewCheckpoint } from '../storage/checkpoints.ts';
import { countsIn } from '../storage/run-counts.ts';
import type { EndedRun, ImportedEvent, ImportedRows } from '../storage/thread-packages.ts';
import type { ThreadRecord } from '../storage/threads.ts';
import type { Ids } from './new-ids.ts';
import type { LineOf } from './package-format.ts';
import { refusedPackage } from './package-text.ts';

type ImportedFeedback = ImportedRows['feedback'][number];

export type ThreadRowReader = ReturnType<typeof createThreadRowReader>;

interface ThreadRowReaderParts {
  readonly name: string;
  readonly ids: Ids;
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
}

/** `name` is the file name for the sentences. Every method throws `validation_failed`. */
export function createThreadRowReader({ name, ids, maxStateBytes }: ThreadRowReaderParts) {
  const runIds = new Set<string>();
  const checkpoints = new Map<string, { readonly step: number; readonly foldBytes: number }>();
  const rated = new Set<string>();
  let events = 0;
  let lastSeq = 0;
  const refuse = (what: string) => refusedPackage(`${name}: ${what}.`);

  return {
    /** Converts the first line. The record has the new id. */
    thread: (line: LineOf<'thread'>) => toThread(line, ids),
    run(line: LineOf<'run'>): EndedRun {
      if (runIds.has(line.run_id)) throw refuse(`the run ${line.run_id} is there twice`);
      runIds.add(line.run_id);
      return toRun(line, ids);
    },
    /** The texts are the JSON texts of the line's delta and snapshot. */
    checkpoint(line: LineOf<'checkpoint'>, { delta, snapshot }: CheckpointTexts): NewCheckpoint {
      const { checkpoint_id: id, parent_id: parentId, step } = line;
      if (checkpoints.has(id)) throw refuse(`the checkpoint ${id} is there twice`);
      const parent = parentId === null ? { step: step - 1, foldBytes: 0 } : checkpoints.get(parentId);
      if (parent === undefined) throw refuse(`the checkpoint ${id} comes before its parent`);
      if (step !== parent.step + 1) throw refuse(`the checkpoint ${id} does not follow its parent`);
      const foldBytes =
        snapshot === null ? parent.foldBytes + Buffer.byteLength(delta) : Buffer.byteLength(snapshot);
      // A fold reads at most twice the size of the state.
      if (foldBytes > 2 * maxStateBytes)
        throw refuse(`the state at ${id} is larger than ${maxStateBytes / 1_048_576} MB (runs.max_state_mb)`);
      checkpoints.set(id, { step, foldBytes });
      return { ...toCheckpoint(line, ids), delta, snapshot, foldBytes };
    },
    event(line: LineOf<'event'>): ImportedEvent {
      if (!runIds.has(line.run_id)) throw refuse(`the event ${line.seq} is of a run that is not there`);
      if (line.seq <= lastSeq) throw refuse(`the event ${line.seq} is out of order`);
      lastSeq = line.seq;
      events += 1;
      return toEvent(line, ids);
    },
    feedback(line: LineOf<'feedback'>): ImportedFeedback {
      if (!runIds.has(line.run_id)) throw refuse('feedback is of a run that is not there');
      if (rated.has(line.run_id)) throw refuse(`the run ${line.run_id} was rated twice`);
      rated.add(line.run_id);
      return toFeedback(line, ids);
    },
    /** Checks the last line. Throws when lines, or the head of the thread, are missing. */
    end(line: LineOf<'end'>, { headCheckpointId }: Pick<ThreadRecord, 'headCheckpointId'>): void {
      const counts = [runIds.size, checkpoints.size, events, rated.size];
      if (`${[line.runs, line.checkpoints, line.events, line.feedback]}` !== `${counts}`)
        throw refuse('lines are missing');
      const known =
        headCheckpointId === null || [...checkpoints.keys()].some((id) => ids.of(id) === headCheckpointId);
      if (!known) throw refuse('the checkpoint at which the thread stands is missing');
    },
  };
}

function ofOrNull(ids: Ids, id: string | null): string | null {
  return id === null ? null : ids.of(id);
}

function toThread(line: LineOf<'thread'>, ids: Ids): Omit<ThreadRecord, 'userId'> {
  return {
    threadId: ids.of(line.thread_id),
    displayName: line.display_name,
    status: line.status,
    metadata: ids.inside(withoutReservedKeys(line.metadata)),
    assistantId: line.assistant_id,
    headCheckpointId: ofOrNull(ids, line.head_checkpoint_id),
    createdAt: line.created_at,
    updatedAt: line.updated_at,
    stateUpdatedAt: line.updated_at,
  };
}

function toCheckpoint(
  line: LineOf<'checkpoint'>,
  ids: Ids,
): Omit<NewCheckpoint, 'delta' | 'snapshot' | 'foldBytes'> {
  return {
    checkpointId: ids.of(line.checkpoint_id),
    parentId: ofOrNull(ids, line.parent_id),
    runId: ofOrNull(ids, line.run_id),
    namespace: line.namespace,
    step: line.step,
    source: line.source,
    node: line.node,
    next: line.next,
    tasks: line.tasks,
    metadata: ids.inside(withoutReservedKeys(line.metadata)),
    createdAt: line.created_at,
  };
}

function toFeedback(line: LineOf<'feedback'>, ids: Ids): ImportedFeedback {
  return {
    feedbackId: ids.of(line.feedback_id),
    runId: ids.of(line.run_id),
    messageId: line.message_id,
    rating: line.rating,
    comment: line.comment,
    createdAt: line.created_at,
  };
}

function toEvent(line: LineOf<'event'>, ids: Ids): ImportedEvent {
  return {
    runId: ids.of(line.run_id),
    eventType: line.event_type,
    category: line.category,
    content: line.content,
    replaced: line.replaced,
    repeated: line.repeated,
    metadata: ids.inside(line.metadata),
    createdAt: line.created_at,
  };
}

function toRun(line: LineOf<'run'>, ids: Ids): EndedRun {
  return {
    runId: ids.of(line.run_id),
    assistantId: line.assistant_id,
    status: line.status,
    metadata: ids.inside(withoutReservedKeys(line.metadata)),
    kwargs: ids.inside(line.kwargs),
    multitaskStrategy: line.multitask_strategy,
    followUpToRunId: ofOrNull(ids, line.follow_up_to_run_id),
    attempt: line.attempt,
    baseCheckpointId: ofOrNull(ids, line.base_checkpoint_id),
    stopReason: line.stop_reason,
    error: line.error,
    createdAt: line.created_at,
    updatedAt: line.updated_at,
    startedAt: line.started_at,
    finishedAt: line.finished_at ?? line.updated_at,
    totals: { ...countsIn(line), tokenUsageByModel: line.token_usage_by_model },
  };
}

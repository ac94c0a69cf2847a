// A thread as the lines of its file in a package.
import type { WholeCheckpoint } from '../storage/checkpoints.ts';
import type { FeedbackRecord } from '../storage/feedback.ts';
import { columnsOfCounts } from '../storage/run-counts.ts';
import { isTerminal, type RunRecord } from '../storage/runs.ts';
import type { ExportedEvent, ThreadCut } from '../storage/thread-packages.ts';
import type { LineOf, WrittenLine } from './package-format.ts';
import { jsonLine } from './package-text.ts';

/** How many lines of each type a thread has. */
export type LineCounts = Readonly<Omit<LineOf<'end'>, 'type'>>;

/**
 * Yields JSON texts with a line break each, some of them in pieces. Returns the counts of what was written.
 */
export async function* threadLines(cut: ThreadCut): AsyncGenerator<string, LineCounts> {
  const counts = { runs: 0, checkpoints: 0, events: 0, feedback: 0 };
  yield jsonLine(toThreadLine(cut));
  for await (const run of cut.runs()) {
    yield jsonLine(toRunLine(run));
    counts.runs += 1;
  }
  for await (const checkpoint of cut.checkpoints()) {
    yield* checkpointTexts(checkpoint);
    counts.checkpoints += 1;
  }
  for await (const event of cut.events()) {
    yield jsonLine(toEventLine(event));
    counts.events += 1;
  }
  for await (const feedback of cut.feedback()) {
    yield jsonLine(toFeedbackLine(feedback));
    counts.feedback += 1;
  }
  const end: WrittenLine = { type: 'end', ...counts };
  yield jsonLine(end);
  return counts;
}

export function iso(moment: number): string {
  return new Date(moment).toISOString();
}

export function isoOrNull(moment: number | null): string | null {
  return moment === null ? null : iso(moment);
}

function toThreadLine({ thread }: ThreadCut): WrittenLine {
  return {
    type: 'thread',
    thread_id: thread.threadId,
    display_name: thread.displayName,
    // A thread without its active runs is not busy.
    status: thread.status === 'busy' ? 'idle' : thread.status,
    metadata: thread.metadata,
    assistant_id: thread.assistantId,
    head_checkpoint_id: thread.headCheckpointId,
    created_at: iso(thread.createdAt),
    updated_at: iso(thread.updatedAt),
  };
}

function toRunLine(run: RunRecord): WrittenLine {
  const { totals, status } = run;
  if (!isEnded(status)) throw new Error('a run that has not ended cannot be exported');
  return {
    type: 'run',
    run_id: run.runId,
    assistant_id: run.assistantId,
    status,
    metadata: run.metadata,
    kwargs: run.kwargs,
    multitask_strategy: run.multitaskStrategy,
    follow_up_to_run_id: run.followUpToRunId,
    attempt: run.attempt,
    base_checkpoint_id: run.baseCheckpointId,
    stop_reason: run.stopReason,
    error: run.error,
    created_at: iso(run.createdAt),
    updated_at: iso(run.updatedAt),
    started_at: isoOrNull(run.startedAt),
    finished_at: isoOrNull(run.finishedAt),
    ...columnsOfCounts(totals),
    token_usage_by_model: totals.tokenUsageByModel,
  };
}

function isEnded(status: RunRecord['status']): status is Exclude<RunRecord['status'], 'pending' | 'running'> {
  return isTerminal(status);
}

/** Deltas and snapshots are JSON texts already, and are inserted as they are. */
function* checkpointTexts(checkpoint: WholeCheckpoint): Generator<string> {
  const { delta, snapshot } = checkpoint;
  const head = JSON.stringify({
    type: 'checkpoint',
    checkpoint_id: checkpoint.checkpointId,
    parent_id: checkpoint.parentId,
    run_id: checkpoint.runId,
    namespace: checkpoint.namespace,
    step: checkpoint.step,
    source: checkpoint.source,
    node: checkpoint.node,
    next: checkpoint.next,
    tasks: checkpoint.tasks,
    metadata: checkpoint.metadata,
    created_at: iso(checkpoint.createdAt),
  });
  yield `${head.slice(0, -1)},"delta":`;
  yield delta;
  yield ',"snapshot":';
  yield snapshot ?? 'null';
  yield '}\n';
}

function toEventLine(event: ExportedEvent): WrittenLine {
  const { content_is_json: _, ...metadata } = event.metadata;
  return {
    type: 'event',
    seq: event.seq,
    run_id: event.runId,
    event_type: event.eventType,
    category: event.category,
    content: event.content,
    replaced: event.replaced,
    ...(event.repeated ? { repeated: true } : {}),
    metadata,
    created_at: iso(event.createdAt),
  };
}

function toFeedbackLine(feedback: FeedbackRecord): WrittenLine {
  return {
    type: 'feedback',
    feedback_id: feedback.feedbackId,
    run_id: feedback.runId,
    message_id: feedback.messageId,
    rating: feedback.rating,
    comment: feedback.comment,
    created_at: iso(feedback.createdAt),
  };
}

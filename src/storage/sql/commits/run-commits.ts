// The group commit: everything that the runs of a process reported, in one transaction of few statements.
import type { HeadMove, RunChange, RunCommits } from '../../run-commits.ts';
import { isTerminal } from '../../runs.ts';
import type { Database, WriteTransaction } from '../database/database.ts';
import { createInsertFrames, FRAME_PLACE } from '../log/insert-frames.ts';
import type { RunLogRows } from '../log/run-log-rows.ts';
import type { HeadMoves } from '../messages/head-moves.ts';
import type { Heads } from '../messages/lineage-parting.ts';
import type { RecordWriters } from '../messages/record-writers.ts';
import { insertTasks } from '../runs/background-tasks.ts';
import type { RunQueues } from '../runs/run-queue.ts';
import { titleOf } from '../search/search-entries.ts';
import type { AddUsage } from './add-usage.ts';
import type { ReleaseReservations } from './budget-reservations.ts';
import { createCommitFence, type FencedChange, NOTHING_LOST } from './commit-fence.ts';
import { createCommitStatements } from './commit-statements.ts';
import { createFlushAtOnce } from './flush-at-once.ts';

export interface RunCommitParts extends RecordWriters {
  readonly headMoves: HeadMoves;
  readonly addUsage: AddUsage;
  readonly releaseReservations: ReleaseReservations;
  readonly logRows: RunLogRows;
  readonly queues: RunQueues;
}

export function createRunCommits(database: Database, parts: RunCommitParts): RunCommits {
  const insertFrames = createInsertFrames(database);
  const statements = createCommitStatements(database);
  const fence = createCommitFence(database, { statements, logRows: parts.logRows });
  const flushAtOnce = createFlushAtOnce(database);

  /** Indexes new titles. Every run ends with a title, but few of them are new. */
  const retitle = async (trx: WriteTransaction, threads: ReturnType<typeof threadRows>) => {
    const titles = new Map(threads.map(({ threadId, patch }) => [threadId, patch.displayName]));
    const titled = [...titles.keys()].filter((threadId) => titles.get(threadId) !== undefined);
    for (const thread of await statements.readThreads(trx, titled)) {
      const title = titles.get(thread.thread_id);
      if (title === undefined || title === thread.display_name) continue;
      await parts.searchEntries.setTitle(trx, titleOf({ ...thread, display_name: title }));
    }
  };

  /**
   * Moves the head. Only runs move the head of a thread with a running run, and they prepare the move first.
   */
  const moveHead = async (trx: WriteTransaction, heads: Heads, move: HeadMove | undefined) => {
    if (heads.fromId === heads.toId) return;
    if (!(await parts.headMoves.takeEffect(trx, heads, move)))
      throw new Error(`the head of thread ${heads.threadId} was to be moved without being prepared`);
  };

  /** Applies what the run leaves behind, and its changes to messages that existed before. */
  const changeConversation = async (trx: WriteTransaction, change: RunChange) => {
    const { threadId, runId, thread, revisions, repeated } = change;
    if (thread?.branchedAt !== undefined) {
      const fromId = await headOf(trx, threadId);
      await moveHead(trx, { threadId, fromId, toId: thread.branchedAt }, thread.move);
    }
    if (thread?.returnedFrom !== undefined) {
      const toId = thread.headCheckpointId ?? null;
      await moveHead(trx, { threadId, fromId: thread.returnedFrom, toId }, thread.move);
      return;
    }
    if (repeated.length > 0) await parts.messageRevisions.repeat(trx, runId, repeated);
    if (revisions.length > 0) await parts.messageRevisions.record(trx, threadId, revisions);
  };

  return {
    prepareMove: (threadId, { runId, attempt, ...heads }) =>
      parts.headMoves.prepare(database, {
        threadId,
        ...heads,
        token: `${runId} ${attempt}`,
        mayMove: async (trx) => {
          const [run] = await statements.readRuns(trx, [runId]);
          return run?.thread_id === threadId && run.attempt === attempt;
        },
        revisions: [],
      }),

    settleNext: () => parts.headMoves.settleNext(),

    onDisk: () => database.onDisk(),

    commit: async (changes, now, log) => {
      if (changes.length === 0 && log === undefined) return NOTHING_LOST;
      if (log !== undefined && (await flushAtOnce(changes, log))) return NOTHING_LOST;
      return database.write(async (trx) => {
        const entered = await fence(trx, changes, log);
        if (entered.kind === 'closed') return entered.outcome;
        const { current, outcome } = entered;
        if (log !== undefined) await parts.logRows.append(trx, log, outcome.blocked.length === 0);
        await parts.insertCheckpoints(trx, current.flatMap(checkpointRows));
        await insertFrames(trx, current.flatMap(frameRows));
        await parts.appendRunEvents(trx, current);
        for (const change of current) await changeConversation(trx, change);
        const runs = runRows(current, now);
        await statements.patchRuns(trx, runs);
        await parts.queues.advance(trx, threadsOf(current, runs));
        const threads = threadRows(current, now);
        await retitle(trx, threads);
        await statements.patchThreads(trx, threads);
        await parts.addUsage(trx, current);
        await parts.releaseReservations(trx, current);
        await insertTasks(trx, current, now);
        return outcome;
      });
    },
  };
}

async function headOf(trx: WriteTransaction, threadId: string): Promise<string | null> {
  const thread = trx.selectFrom('threads').select('head_checkpoint_id').where('thread_id', '=', threadId);
  return (await thread.executeTakeFirst())?.head_checkpoint_id ?? null;
}

function checkpointRows({ threadId, ownerId, checkpoints }: FencedChange) {
  return checkpoints.map((checkpoint) => ({ threadId, userId: ownerId, checkpoint }));
}

function frameRows({ runId, ownerId, frames }: FencedChange) {
  if (frames === undefined) return [];
  return [{ ...FRAME_PLACE.columnsOf(frames), run_id: runId, user_id: ownerId, events: frames.events }];
}

/** Returns one row per run. */
function runRows(changes: readonly RunChange[], now: number) {
  const patches = merged(changes.map(({ runId, run }) => [runId, run]));
  return patches.map(([runId, patch]) => {
    const ended = patch.status !== undefined && isTerminal(patch.status);
    return { runId, patch: ended ? { finishedAt: now, ...patch } : patch, ended, now };
  });
}

/** Returns the threads of runs that have ended. */
function threadsOf(changes: readonly RunChange[], runs: ReturnType<typeof runRows>): readonly string[] {
  const ended = new Set(runs.flatMap((run) => (run.ended ? [run.runId] : [])));
  return [...new Set(changes.flatMap(({ runId, threadId }) => (ended.has(runId) ? [threadId] : [])))];
}

/** Returns one row per thread. */
function threadRows(changes: readonly RunChange[], now: number) {
  const patches = merged(changes.map(({ threadId, thread }) => [threadId, thread]));
  return patches.map(([threadId, patch]) => ({ threadId, patch, now }));
}

/** Returns one patch per id. Later ones override earlier ones. */
function merged<Patch>(patches: readonly (readonly [string, Patch | undefined])[]): [string, Patch][] {
  const byId = new Map<string, Patch>();
  for (const [id, patch] of patches) if (patch !== undefined) byId.set(id, { ...byId.get(id), ...patch });
  return [...byId];
}

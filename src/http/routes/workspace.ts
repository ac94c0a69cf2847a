// The changes of runs to the files of a thread, and restoring earlier files.
import { z } from 'zod';
import { conflict, notFound, validationFailed } from '../../errors.ts';
import type { RunService } from '../../runs/service/run-service.ts';
import type { FileChange } from '../../workspace/snapshots/compare-trees.ts';
import type { Moment, Snapshots } from '../../workspace/snapshots/snapshots.ts';
import type { AppContext } from '../api/context.ts';
import { pathParam } from '../api/route-access.ts';
import { ok, type RouteTable } from '../api/route-table.ts';
import { sha256Field, virtualPathField } from '../presenters/wire-fields.ts';

interface WorkspaceRouteParts {
  readonly snapshots: Snapshots;
  readonly runs: Pick<RunService, 'get'>;
}

const VIRTUAL_ROOT = '/mnt/user-data';
const fileStateSchema = z.object({ size: z.int(), sha256: sha256Field.nullable() }).nullable();
const changesSchema = z.object({
  changes: z.array(
    z
      .object({
        path: virtualPathField,
        change: z.enum(['created', 'modified', 'deleted']),
        before: fileStateSchema,
        after: fileStateSchema,
        diff: z.string().nullable().meta({ description: 'Unified; null when `diff_omitted` says why' }),
        diff_omitted: z.enum(['binary', 'too_large', 'not_kept']).nullable(),
      })
      .meta({ id: 'WorkspaceChange' }),
  ),
  total: z.int(),
});
const restoreSchema = z.object({
  checkpoint_id: z.string().min(1).max(128).optional(),
  run_id: z
    .string()
    .min(1)
    .max(128)
    .meta({ examples: ['01993f5a-9c04-7d11-8e6b-2a4c7f9d3b51'] })
    .optional(),
  point: z.int().min(1).optional(),
});
type RestoreBody = z.output<typeof restoreSchema>;
const paths = z.array(virtualPathField);
const restoredSchema = z.object({
  written: paths,
  removed: paths,
  left: paths.meta({
    description: 'Could not be restored: the content is not kept, or something else is in its place',
  }),
  undo_point: z.int().meta({ description: 'Send it as `point` to undo this' }),
});

export function workspaceRoutes(routes: RouteTable, { runs, snapshots }: WorkspaceRouteParts): void {
  routes.get('/api/threads/{thread_id}/runs/{run_id}/workspace-changes', {
    operationId: 'listWorkspaceChanges',
    summary: 'The files that the run created, modified and deleted',
    thread: 'read',
    responses: ok('At most a thousand, by path', changesSchema),
    handle: async (c) => {
      const { thread, repositories } = c.var;
      const run = await runs.get(repositories, thread.threadId, pathParam(c, 'run_id'));
      const { changes, total } = await snapshots.changesOf(thread, run.runId);
      return c.json({ changes: changes.map(presentChange), total });
    },
  });
  routes.post('/api/threads/{thread_id}/workspace/restore', {
    operationId: 'restoreWorkspace',
    errors: ['conflict', 'insufficient_storage'],
    summary: 'Restore the files to a checkpoint, to before a run, or to before an earlier restore',
    thread: 'write',
    body: { kind: 'json', schema: restoreSchema },
    responses: ok('What was done', restoredSchema),
    handle: async (c, { body }) => {
      const { thread } = c.var;
      const moment = await momentOf(c, body, runs);
      if (thread.status === 'busy') throw conflict('A run is active on this thread. Cancel it first.');
      const { written, removed, left, before } = await snapshots.restore(thread, moment);
      return c.json({
        written: written.map(toVirtual),
        removed: removed.map(toVirtual),
        left: left.map(toVirtual),
        undo_point: before,
      });
    },
  });
}

async function momentOf(
  c: AppContext,
  body: RestoreBody,
  runs: WorkspaceRouteParts['runs'],
): Promise<Moment> {
  const { thread, repositories } = c.var;
  const { checkpoint_id: checkpointId, run_id: runId, point } = body;
  if ([checkpointId, runId, point].filter((it) => it !== undefined).length !== 1)
    throw validationFailed(['body'], 'Give one of checkpoint_id, run_id and point.');
  if (runId !== undefined) {
    const run = await runs.get(repositories, thread.threadId, runId);
    return { kind: 'before_run', runId: run.runId };
  }
  if (checkpointId === undefined) return { kind: 'point', number: point ?? 0 };
  const checkpoint = await repositories.checkpoints.get(thread.threadId, checkpointId);
  if (checkpoint === undefined) throw notFound('Checkpoint');
  return { kind: 'checkpoint', checkpointId, createdAt: checkpoint.createdAt };
}

function presentChange({ path, change, before, after, diff, omitted }: FileChange) {
  return { path, change, before, after, diff, diff_omitted: omitted };
}

function toVirtual(path: string): string {
  return `${VIRTUAL_ROOT}/${path}`;
}

// Points of a thread's files in time, as stored on disk: the metadata of a point, and the tree that it names.
import { z } from 'zod';

/** `run_start`: before the first tool with an effect. `before_restore`: what a restore replaced. */
const pointSchema = z.object({
  version: z.literal(1),
  kind: z.enum(['run_start', 'run_end', 'before_restore', 'restored']),
  runId: z.string().nullable(),
  /** The checkpoint of the run to which the point belongs; for `restored`, the requested one. */
  checkpointId: z.string().nullable(),
  /** Epoch milliseconds. */
  createdAt: z.number(),
  /** The hash of the tree among the objects. */
  tree: z.string(),
});

export type PointContent = z.output<typeof pointSchema>;

/** Later points have greater numbers. */
export interface Point extends PointContent {
  readonly number: number;
}

const treeEntrySchema = z.object({
  /** Relative to the virtual root: `workspace/notes/a.md`. */
  path: z.string(),
  size: z.number(),
  mode: z.number(),
  /** `null`: the content is not kept, because the file, or all contents together, would be too large. */
  sha256: z.string().nullable(),
  /** For a file whose content is not kept: differs after every change. */
  stamp: z.string().optional(),
});

export type TreeEntry = z.output<typeof treeEntrySchema>;

const treeSchema = z.array(treeEntrySchema);

export function toPoint(text: string): PointContent {
  return pointSchema.parse(JSON.parse(text));
}

export function toTree(text: string): readonly TreeEntry[] {
  return treeSchema.parse(JSON.parse(text));
}

/** True when both describe the same state of a file. */
export function isSameFile(a: TreeEntry, b: TreeEntry): boolean {
  return a.sha256 === b.sha256 && a.size === b.size && a.mode === b.mode && a.stamp === b.stamp;
}

// The checkpoints of a thread as a tree: the path to what is shown, and where other branches leave it.
import type { Checkpoint } from '../api/shapes.ts';

/** A checkpoint of the path with more than one continuation. */
export interface Fork {
  readonly checkpointId: string;
  /** The newest checkpoint of each continuation, oldest continuation first. */
  readonly leaves: readonly Checkpoint[];
  /** Which of them the path takes. */
  readonly current: number;
}

/** From the oldest known one to the one with the id. */
export function pathTo(id: string, checkpoints: readonly Checkpoint[]): readonly Checkpoint[] {
  const byId = new Map(checkpoints.map((it) => [it.checkpoint_id, it]));
  const path: Checkpoint[] = [];
  for (let at = byId.get(id); at !== undefined; at = byId.get(at.parent_checkpoint_id ?? '')) path.push(at);
  return path.reverse();
}

export function forksOn(path: readonly Checkpoint[], checkpoints: readonly Checkpoint[]): readonly Fork[] {
  const children = childrenOf(checkpoints);
  const byId = new Map(checkpoints.map((it) => [it.checkpoint_id, it]));
  return path.flatMap(({ checkpoint_id: checkpointId }, index) => {
    // Ids grow with time.
    const continuations = (children.get(checkpointId) ?? []).toSorted();
    const taken = path[index + 1]?.checkpoint_id;
    if (continuations.length < 2 || taken === undefined) return [];
    const leaves = continuations.flatMap((it) => byId.get(newestUnder(it, children)) ?? []);
    return [{ checkpointId, leaves, current: continuations.indexOf(taken) }];
  });
}

/** Whether the run left its checkpoints only on branches that the path does not take. */
export function isElsewhere(
  runId: string,
  path: readonly Checkpoint[],
  checkpoints: readonly Checkpoint[],
): boolean {
  const isOfRun = (it: Checkpoint) => it.metadata.run_id === runId;
  return checkpoints.some(isOfRun) && !path.some(isOfRun);
}

function childrenOf(checkpoints: readonly Checkpoint[]): ReadonlyMap<string, readonly string[]> {
  const children = new Map<string, string[]>();
  for (const { checkpoint_id: id, parent_checkpoint_id: parent } of checkpoints) {
    if (parent == null) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  return children;
}

function newestUnder(id: string, children: ReadonlyMap<string, readonly string[]>): string {
  let newest = id;
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at > newest) newest = at;
    open.push(...(children.get(at) ?? []));
  }
  return newest;
}

// The checkpoints of a thread as a tree: the path to the shown checkpoint, its forks, and the start of a new
// branch.
import type { Checkpoint, CheckpointPage } from '../api/shapes.ts';

/** A checkpoint on the path with more than one continuation. */
export interface Fork {
  readonly checkpointId: string;
  /** The newest checkpoint of each continuation, oldest continuation first. */
  readonly leaves: readonly Checkpoint[];
  /** The index of the continuation that the path takes. */
  readonly current: number;
}

/** Returns the checkpoints from the oldest known one to the one with the id. */
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
    // Ids sort by time.
    const continuations = (children.get(checkpointId) ?? []).toSorted();
    const taken = path[index + 1]?.checkpoint_id;
    if (continuations.length < 2 || taken === undefined) return [];
    const leaves = continuations.flatMap((it) => byId.get(newestUnder(it, children)) ?? []);
    return [{ checkpointId, leaves, current: continuations.indexOf(taken) }];
  });
}

/** True when the run has checkpoints, and all of them are on branches that the path does not take. */
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

export interface BranchPoint {
  readonly checkpointId: string;
  readonly messages: readonly unknown[];
}

interface CheckpointReader {
  readonly checkpointsBefore: (threadId: string, checkpointId: string) => Promise<CheckpointPage>;
  readonly messagesAt: (threadId: string, checkpointId: string) => Promise<readonly unknown[]>;
}

interface Search {
  readonly api: CheckpointReader;
  readonly threadId: string;
  /** The newest checkpoint that is shown. */
  readonly head: Checkpoint;
  readonly messageId: string;
  readonly place: 'before' | 'at';
}

/**
 * Finds where a new branch starts. Reads few states: messages of people enter a thread in marked checkpoints
 * and stay in all later ones. Throws when the thread has no such message.
 */
export async function findBranchPoint(search: Search): Promise<BranchPoint> {
  const messagesAt = rememberingMessages(search);
  const contains = async ({ checkpoint_id: id }: Checkpoint) =>
    (await messagesAt(id)).some((it) => idOf(it) === search.messageId);
  const path = await pathPast(search, contains);
  const entry = await firstWith(path.filter(isEntry), contains);
  const index = entry === undefined ? -1 : path.indexOf(entry);
  const found = index < 0 ? undefined : path[search.place === 'at' ? index : index - 1];
  if (found === undefined) throw new Error('This message is no longer in the chat. Reload the page.');
  return { checkpointId: found.checkpoint_id, messages: await messagesAt(found.checkpoint_id) };
}

/** Returns the first entry with the message, by binary search. Undefined when no checkpoint has it. */
async function firstWith(
  entries: readonly Checkpoint[],
  contains: (checkpoint: Checkpoint) => Promise<boolean>,
): Promise<Checkpoint | undefined> {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = entries[middle];
    if (entry !== undefined && (await contains(entry))) high = middle;
    else low = middle + 1;
  }
  return entries[low];
}

/** Returns the path from a checkpoint without the message to the head. */
async function pathPast(
  { api, threadId, head }: Search,
  contains: (checkpoint: Checkpoint) => Promise<boolean>,
): Promise<readonly Checkpoint[]> {
  const known: Checkpoint[] = [head];
  for (let oldestId = head.checkpoint_id; ; oldestId = known.at(-1)?.checkpoint_id ?? oldestId) {
    const page = await api.checkpointsBefore(threadId, oldestId);
    known.push(...page.checkpoints);
    const path = pathTo(head.checkpoint_id, known);
    const [oldest] = path;
    if (page.isLast || (oldest !== undefined && !(await contains(oldest)))) return path;
  }
}

function isEntry({ metadata }: Checkpoint): boolean {
  return metadata.source === 'input' || metadata.source === 'update';
}

function rememberingMessages({
  api,
  threadId,
}: Search): (checkpointId: string) => Promise<readonly unknown[]> {
  const read = new Map<string, Promise<readonly unknown[]>>();
  return (checkpointId) => {
    const messages = read.get(checkpointId) ?? api.messagesAt(threadId, checkpointId);
    read.set(checkpointId, messages);
    return messages;
  };
}

/** Returns the id of an unparsed message. Undefined when it has none. */
export function idOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  return typeof message.id === 'string' ? message.id : undefined;
}

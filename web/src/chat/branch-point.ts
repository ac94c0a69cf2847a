// Where a branch starts: the checkpoint before a message was said, or the one in which it was said.
import type { Checkpoint, CheckpointPage } from '../api/shapes.ts';
import { pathTo } from './checkpoint-tree.ts';

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
  /** The newest checkpoint of what is shown. */
  readonly head: Checkpoint;
  readonly messageId: string;
  readonly place: 'before' | 'at';
}

/**
 * Reads few states: messages of people enter a thread in checkpoints that say so, and once there they stay.
 * Throws when the thread has no such message.
 */
export async function findBranchPoint(search: Search): Promise<BranchPoint> {
  const messagesAt = rememberingMessages(search);
  const contains = async ({ checkpoint_id: id }: Checkpoint) =>
    (await messagesAt(id)).some((it) => idOf(it) === search.messageId);
  const path = await pathPast(search, contains);
  const entry = await firstWith(path.filter(isEntry), contains);
  const index = entry === undefined ? -1 : path.indexOf(entry);
  const found = index < 0 ? undefined : path[search.place === 'at' ? index : index - 1];
  if (found === undefined) throw new Error('This message is not in the chat any longer. Reload the page.');
  return { checkpointId: found.checkpoint_id, messages: await messagesAt(found.checkpoint_id) };
}

/** Halves the list as long as it can; undefined where none has the message. */
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

/** The path from a checkpoint without the message to the head. */
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

/** The id of a message off the wire. */
export function idOf(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  return typeof message.id === 'string' ? message.id : undefined;
}

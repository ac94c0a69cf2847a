// The states that checkpoints fold to, the recent ones kept in memory (docs/decisions/0005-delta-checkpoints.md).
import { LRUCache } from 'lru-cache';
import { createBreath, inTurns } from '../breath.ts';
import { isBeginning } from '../messages/is-beginning.ts';
import type { Json, JsonObject, Message } from '../messages/message.ts';
import { type MessageChange, messageChanges } from '../messages/message-changes.ts';
import { serializedMessage } from '../messages/serialized-message.ts';
import {
  EMPTY_STATE,
  type Fold,
  foldDelta,
  foldDeltas,
  type StateDelta,
  serializedDelta,
  type ThreadState,
} from '../messages/thread-state.ts';
import type {
  CheckpointRecord,
  CheckpointRepository,
  CheckpointSource,
  NewCheckpoint,
} from './checkpoints.ts';

/** A checkpoint with the state it stands for. */
export interface FoldedCheckpoint {
  /** `null` before the first checkpoint of a thread. */
  readonly checkpointId: string | null;
  readonly step: number;
  readonly state: ThreadState;
  /** Bytes that a fold from storage reads, and how many of them the state no longer holds. */
  readonly foldBytes: number;
  readonly deadBytes: number;
  /** What goes on from here is later, whatever the clock says. */
  readonly createdAt: number;
}

/** What the state takes, in bytes, roughly. */
export function stateBytes({ foldBytes, deadBytes }: FoldedCheckpoint): number {
  return foldBytes - deadBytes;
}

export const NO_CHECKPOINT: FoldedCheckpoint = Object.freeze({
  checkpointId: null,
  step: -2,
  state: EMPTY_STATE,
  foldBytes: 0,
  deadBytes: 0,
  createdAt: 0,
});

interface NextCheckpoint {
  readonly checkpointId: string;
  readonly runId: string | null;
  /** Empty for the thread's own state. */
  readonly namespace: string;
  readonly source: CheckpointSource;
  readonly node: string | null;
  readonly delta: StateDelta;
  /** The parent's state with the delta, where it is known already. */
  readonly fold?: Fold | undefined;
  readonly next: readonly string[];
  /** What the thread waits for at this checkpoint. */
  readonly tasks: readonly Json[];
  readonly metadata: JsonObject;
  readonly now: number;
}

interface ExtendedCheckpoint {
  /** To be written. */
  readonly row: NewCheckpoint;
  readonly folded: FoldedCheckpoint;
  /** What became of messages that the parent's state had. */
  readonly changes: readonly MessageChange[];
}

export interface ThreadStates {
  /** The folded checkpoint; `undefined` when the owner of the repository has no such checkpoint. */
  at(
    checkpoints: CheckpointRepository,
    threadId: string,
    checkpointId: string,
  ): Promise<FoldedCheckpoint | undefined>;
  /** The state of a checkpoint that was just read for its owner; `undefined` when it is gone by now. */
  of(checkpoints: CheckpointRepository, record: CheckpointRecord): Promise<FoldedCheckpoint | undefined>;
  /**
   * The child of `parent` that the delta makes. Its state is known from now on. It is later than its parent though the
   * clock was set back: histories are in the order of the times.
   */
  extend(parent: FoldedCheckpoint, next: NextCheckpoint): ExtendedCheckpoint;
  /** The checkpoints are gone: nothing of them stays in memory. */
  forget(checkpointIds: readonly string[]): void;
}

const ENTRY_BYTES = 256;
/** A message in a list, and its place by its id. */
const POINTER_BYTES = 64;

/** `maxBytes` bounds what the kept states hold, roughly: messages that states share are counted once. */
export function createThreadStates(options: { readonly maxBytes: number }): ThreadStates {
  const cache = new LRUCache<string, CachedCheckpoint>({ maxSize: options.maxBytes, dispose: leaveList });

  const remember = (folded: FoldedCheckpoint, ownBytes: number, parentId?: string | null): void => {
    if (folded.checkpointId === null) return;
    const { messages } = folded.state;
    const parent = cache.peek(parentId ?? '');
    const list = parent !== undefined && extendList(parent.list, messages) ? parent.list : newList(messages);
    const pointers = list === parent?.list ? 0 : messages.length;
    const { state, ...place } = folded;
    const kept = { ...place, values: state.values, list, length: messages.length };
    list.kept.add(kept);
    cache.set(folded.checkpointId, kept, { size: ENTRY_BYTES + pointers * POINTER_BYTES + ownBytes });
  };

  const of: ThreadStates['of'] = async (checkpoints, record) => {
    const known = cache.get(record.checkpointId);
    if (known !== undefined) return toFolded(known);
    const folded = await foldFromStorage(checkpoints, record);
    if (folded === undefined) return undefined;
    remember(folded, folded.foldBytes);
    return folded;
  };

  return {
    of,
    async at(checkpoints, threadId, checkpointId) {
      const record = await checkpoints.get(threadId, checkpointId);
      return record && of(checkpoints, record);
    },
    extend(parent, next) {
      const made = extendCheckpoint(parent, next);
      remember(made.folded, Buffer.byteLength(made.row.delta), parent.checkpointId);
      return made;
    },
    forget(checkpointIds) {
      for (const checkpointId of checkpointIds) cache.delete(checkpointId);
    },
  };
}

/**
 * Checkpoints of which each one's messages begin with those of the one before share the longest list: a long thread
 * whose every checkpoint has a list of its own fills the memory with pointers that the garbage collector must follow.
 */
interface SharedMessages {
  messages: readonly Message[];
  readonly kept: Set<CachedCheckpoint>;
}

/** A folded checkpoint whose messages are the first ones of its list. */
interface CachedCheckpoint extends Omit<FoldedCheckpoint, 'state'> {
  readonly values: JsonObject;
  readonly list: SharedMessages;
  readonly length: number;
}

function newList(messages: readonly Message[]): SharedMessages {
  return { messages, kept: new Set() };
}

/** Makes these the messages of the list if they begin with the ones it has; returns whether they do. */
function extendList(list: SharedMessages, messages: readonly Message[]): boolean {
  if (!isBeginning(list.messages, messages)) return false;
  list.messages = messages;
  return true;
}

/** Drops the messages that no other checkpoint of the list needs. */
function leaveList(left: CachedCheckpoint): void {
  const { list } = left;
  list.kept.delete(left);
  if (left.length < list.messages.length) return;
  let needed = 0;
  for (const { length } of list.kept) needed = Math.max(needed, length);
  if (needed < list.messages.length) list.messages = list.messages.slice(0, needed);
}

function toFolded({ values, list, length, ...place }: CachedCheckpoint): FoldedCheckpoint {
  const messages = length === list.messages.length ? list.messages : list.messages.slice(0, length);
  return { ...place, state: { messages, values } };
}

async function foldFromStorage(
  checkpoints: CheckpointRepository,
  record: CheckpointRecord,
): Promise<FoldedCheckpoint | undefined> {
  const texts = await checkpoints.lineage(record.threadId, record.checkpointId);
  if (texts.length === 0) return undefined;
  const state = foldDeltas(await inTurns(texts, createBreath(), parsedDelta));
  return {
    checkpointId: record.checkpointId,
    step: record.step,
    state,
    foldBytes: record.foldBytes,
    deadBytes: Math.max(0, record.foldBytes - (await bytesOf(state))),
    createdAt: record.createdAt,
  };
}

/** What the state takes as one text, but for the commas. */
async function bytesOf({ messages, values }: ThreadState): Promise<number> {
  const breath = createBreath();
  let bytes = 0;
  for (const message of messages) {
    bytes += serializedMessage(message).bytes;
    await breath();
  }
  for (const value of Object.values(values)) {
    bytes += Buffer.byteLength(JSON.stringify(value));
    await breath();
  }
  return bytes;
}

/** The delta of a stored text. Rows are written by `extend` alone, so their shape is not checked again. */
export function parsedDelta(text: string): StateDelta {
  const delta: StateDelta = JSON.parse(text);
  return delta;
}

function extendCheckpoint(parent: FoldedCheckpoint, next: NextCheckpoint): ExtendedCheckpoint {
  const { fold = foldDelta(parent.state, next.delta) } = next;
  const { state, deadBytes } = fold;
  const delta = serializedDelta(next.delta);
  const appended = {
    checkpointId: next.checkpointId,
    step: parent.step + 1,
    state,
    foldBytes: parent.foldBytes + Buffer.byteLength(delta),
    deadBytes: parent.deadBytes + deadBytes,
    createdAt: Math.max(next.now, parent.createdAt + 1),
  };
  // Append-only threads never pay for a snapshot: their deltas are the state. One is written when what a fold
  // reads in vain outweighs the state, so a fold reads at most twice the state and snapshots stay linear.
  const snapshot = appended.deadBytes * 2 > appended.foldBytes ? serializedDelta(state) : null;
  const folded =
    snapshot === null ? appended : { ...appended, foldBytes: Buffer.byteLength(snapshot), deadBytes: 0 };
  const row: NewCheckpoint = {
    checkpointId: next.checkpointId,
    parentId: parent.checkpointId,
    runId: next.runId,
    namespace: next.namespace,
    step: folded.step,
    source: next.source,
    node: next.node,
    delta,
    snapshot,
    foldBytes: folded.foldBytes,
    next: next.next,
    tasks: next.tasks,
    metadata: next.metadata,
    createdAt: folded.createdAt,
  };
  return { row, folded, changes: messageChanges(parent.state, fold) };
}

// The states to which checkpoints fold, with recent ones cached (docs/decisions/0005-delta-checkpoints.md).
import { LRUCache } from 'lru-cache';
import { createBreath, inTurns } from '../breath.ts';
import { isBeginning } from '../messages/is-beginning.ts';
import type { JsonObject, Message } from '../messages/message.ts';
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
import type { CheckpointRecord, CheckpointRepository, NewCheckpoint } from './checkpoints.ts';

/** A checkpoint with its state. */
export interface FoldedCheckpoint {
  /** `null` before the first checkpoint of a thread. */
  readonly checkpointId: string | null;
  readonly step: number;
  readonly state: ThreadState;
  /** Bytes that a fold from storage reads, and how many of them (`deadBytes`) the state no longer holds. */
  readonly foldBytes: number;
  readonly deadBytes: number;
  /** Checkpoints that continue from here get later times, whatever the clock says. */
  readonly createdAt: number;
}

/** Returns the approximate size of the state in bytes. */
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

interface NextCheckpoint
  extends Omit<NewCheckpoint, 'parentId' | 'step' | 'delta' | 'snapshot' | 'foldBytes' | 'createdAt'> {
  readonly delta: StateDelta;
  /** The parent's state with the delta applied, if already known. */
  readonly fold?: Fold | undefined;
  readonly now: number;
}

interface ExtendedCheckpoint {
  /** The row to write. */
  readonly row: NewCheckpoint;
  readonly folded: FoldedCheckpoint;
  /** What happened to messages of the parent's state. */
  readonly changes: readonly MessageChange[];
}

export interface ThreadStates {
  /** Returns the folded checkpoint; `undefined` when the repository's owner has no such checkpoint. */
  at(
    checkpoints: CheckpointRepository,
    threadId: string,
    checkpointId: string,
  ): Promise<FoldedCheckpoint | undefined>;
  /**
   * Returns the state of a checkpoint that was just read for its owner; `undefined` when it is gone by now.
   */
  of(checkpoints: CheckpointRepository, record: CheckpointRecord): Promise<FoldedCheckpoint | undefined>;
  /**
   * Returns the child of `parent` that the delta makes, and caches its state. The child is later than its
   * parent even if the clock was set back, because histories are sorted by time.
   */
  extend(parent: FoldedCheckpoint, next: NextCheckpoint): ExtendedCheckpoint;
  /** Removes deleted checkpoints from memory. */
  forget(checkpointIds: readonly string[]): void;
}

const ENTRY_BYTES = 256;
/** A message in a list, and its entry by id. */
const POINTER_BYTES = 64;

/** Creates the cache. `maxBytes` roughly bounds the cached states. Messages that states share count once. */
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
 * The longest of the message lists of checkpoints that each extend the list of the one before, shared by all
 * of them. If every checkpoint of a long thread had its own list, the pointers would fill memory and burden
 * the garbage collector.
 */
interface SharedMessages {
  messages: readonly Message[];
  readonly kept: Set<CachedCheckpoint>;
}

/** A folded checkpoint whose messages are the first `length` of its list. */
interface CachedCheckpoint extends Omit<FoldedCheckpoint, 'state'> {
  readonly values: JsonObject;
  readonly list: SharedMessages;
  readonly length: number;
}

function newList(messages: readonly Message[]): SharedMessages {
  return { messages, kept: new Set() };
}

/** Replaces the messages of the list if the new ones begin with them. Returns whether they do. */
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

/** Returns the size of the state as one text, without commas. */
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

/** Parses a stored delta. Only `extend` writes rows, so the shape is not checked again. */
export function parsedDelta(text: string): StateDelta {
  const delta: StateDelta = JSON.parse(text);
  return delta;
}

function extendCheckpoint(parent: FoldedCheckpoint, next: NextCheckpoint): ExtendedCheckpoint {
  const { delta: added, fold = foldDelta(parent.state, added), now, ...fields } = next;
  const { state, deadBytes } = fold;
  const delta = serializedDelta(added);
  const appended = {
    checkpointId: next.checkpointId,
    step: parent.step + 1,
    state,
    foldBytes: parent.foldBytes + Buffer.byteLength(delta),
    deadBytes: parent.deadBytes + deadBytes,
    createdAt: Math.max(now, parent.createdAt + 1),
  };
  // Append-only threads never pay for a snapshot: their deltas are the state. A snapshot is written when the
  // dead bytes that a fold reads outweigh the state, so a fold reads at most twice the state and snapshots
  // stay linear.
  const snapshot = appended.deadBytes * 2 > appended.foldBytes ? serializedDelta(state) : null;
  const folded =
    snapshot === null ? appended : { ...appended, foldBytes: Buffer.byteLength(snapshot), deadBytes: 0 };
  const { step, foldBytes, createdAt } = folded;
  const row = { ...fields, parentId: parent.checkpointId, step, delta, snapshot, foldBytes, createdAt };
  return { row, folded, changes: messageChanges(parent.state, fold) };
}

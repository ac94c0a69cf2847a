// The entries of one person's outbox, as the browser keeps them: each on its own, so that tabs do not overwrite each other.
import { ownStorage } from '../auth/own-storage.ts';
import { type OutboxEntry, readEntry } from './outbox-entry.ts';

export interface KeptEntries {
  readonly userId: string;
  /** In the order in which they were written. */
  readonly all: () => readonly OutboxEntry[];
  readonly get: (id: string) => OutboxEntry | undefined;
  readonly keep: (entry: OutboxEntry) => void;
  readonly drop: (id: string) => void;
  /** The oldest one that may be sent: nothing overtakes a message of the same chat that is being changed. */
  readonly next: () => OutboxEntry | undefined;
}

const PREFIX = 'outbox:';

export function keptEntries(userId: string): KeptEntries {
  const storage = ownStorage(userId);
  /** What the browser has no room for is kept as long as the page. */
  const unkept = new Map<string, OutboxEntry>();
  const all = () =>
    storage
      .names(PREFIX)
      .map((name) => readEntry(storage.get(name)))
      .filter((it) => it !== undefined)
      .concat(...unkept.values())
      .sort((a, b) => a.writtenAt - b.writtenAt);
  const drop = (id: string): void => {
    unkept.delete(id);
    storage.set(PREFIX + id, undefined);
  };
  return {
    userId,
    all,
    get: (id) => unkept.get(id) ?? readEntry(storage.get(PREFIX + id)),
    keep: (entry) => {
      if (storage.set(PREFIX + entry.id, JSON.stringify(entry))) {
        unkept.delete(entry.id);
        return;
      }
      drop(entry.id);
      unkept.set(entry.id, entry);
    },
    drop,
    next: () => {
      const held = new Set<string>();
      for (const entry of all()) {
        if (entry.isHeld === true) held.add(entry.threadId);
        else if (entry.refusal === undefined && !held.has(entry.threadId)) return entry;
      }
      return undefined;
    },
  };
}

// The messages in the outbox of a person, as this browser stores them.
import * as z from 'zod/mini';
import { uploadedSchema } from '../api/file-shapes.ts';
import { ownStorage } from './own-storage.ts';

const entrySchema = z.object({
  /** The id of the message, and the key under which the service accepts it once. */
  id: z.string(),
  threadId: z.string(),
  /** True when the service creates the thread with this first message. */
  isNew: z.boolean(),
  text: z.string(),
  files: z.array(uploadedSchema),
  options: z.object({
    agent: z.optional(z.string()),
    model_name: z.optional(z.string()),
    thinking_enabled: z.optional(z.boolean()),
    is_plan_mode: z.optional(z.boolean()),
  }),
  /** Epoch milliseconds. */
  writtenAt: z.number(),
  /** When it was first sent without a response. It may have arrived. */
  triedAt: z.optional(z.number()),
  /** True while the person edits the text. */
  isHeld: z.optional(z.boolean()),
  /** Why the service refused it. */
  refusal: z.optional(z.string()),
});
export type OutboxEntry = z.infer<typeof entrySchema>;

/** Returns undefined for anything that is not an entry. */
function readEntry(text: string | null): OutboxEntry | undefined {
  if (text === null) return undefined;
  try {
    return z.safeParse(entrySchema, JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

export interface KeptEntries {
  readonly userId: string;
  /** In the order in which they were written. */
  readonly all: () => readonly OutboxEntry[];
  readonly get: (id: string) => OutboxEntry | undefined;
  readonly keep: (entry: OutboxEntry) => void;
  readonly drop: (id: string) => void;
  /**
   * Returns the oldest entry that may be sent. No message overtakes one of the same chat that is being
   * edited.
   */
  readonly next: () => OutboxEntry | undefined;
}

const PREFIX = 'outbox:';

export function keptEntries(userId: string): KeptEntries {
  const storage = ownStorage(userId);
  /** Entries that exceed the storage of the browser. They live as long as the page. */
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

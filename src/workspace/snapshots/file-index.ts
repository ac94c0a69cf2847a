// What is known of files without reading them: by what the file system says of one, whether it is as it was.
import type { BigIntStats } from 'node:fs';
import { z } from 'zod';

const knownSchema = z.object({ identity: z.string(), sha256: z.string().nullable() });
const indexSchema = z.object({
  /** By the clock of the files, in milliseconds. */
  takenAt: z.number(),
  /** What the objects of the thread hold together. */
  storedBytes: z.number(),
  files: z.record(z.string(), knownSchema),
});

export type KnownFile = z.output<typeof knownSchema>;
export type FileIndex = z.output<typeof indexSchema>;

const NO_INDEX: FileIndex = { takenAt: 0, storedBytes: 0, files: {} };

/** A file that was written so shortly before it was looked at may have been written again within the same tick. */
const TICK_MS = 50;

export function toIndex(text: string | undefined): FileIndex {
  if (text === undefined) return NO_INDEX;
  const parsed = indexSchema.safeParse(JSON.parse(text));
  return parsed.success ? parsed.data : NO_INDEX;
}

/** The change time moves with every write, and no program can set it. */
export function identityOf({ dev, ino, size, mode, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mode, mtimeNs, ctimeNs].join(':');
}

/** What is known of the file, unless it changed since or may have. */
export function knownFile(index: FileIndex, path: string, stats: BigIntStats): KnownFile | undefined {
  const known = index.files[path];
  if (known === undefined || known.identity !== identityOf(stats)) return undefined;
  return Number(stats.ctimeMs) < index.takenAt - TICK_MS ? known : undefined;
}

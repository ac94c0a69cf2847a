// The order to the process of a search, and its report.
import { z } from 'zod';
import type { WorkspacePlace } from '../paths.ts';

/** A file or a folder. `names` lead to it from a real folder; `virtual` is its visible path. */
export interface ReadOnlyPlace {
  readonly real: string;
  readonly names: readonly string[];
  readonly virtual: string;
}

interface Where {
  readonly dataHome: string;
  readonly place: WorkspacePlace;
  readonly path: string;
  /** Where to search for a path beside the thread's files; `null` for one of the thread. */
  readonly readOnly: readonly ReadOnlyPlace[] | null;
  readonly maxResults: number;
}

export interface GlobOrder extends Where {
  readonly kind: 'glob';
  readonly pattern: string;
  readonly includeFolders: boolean;
}

export interface GrepOrder extends Where {
  readonly kind: 'grep';
  /** A JavaScript regular expression. */
  readonly expression: string;
  readonly isCaseSensitive: boolean;
  /** Only files whose path below `path`, or whose name, matches. */
  readonly glob: string | null;
}

export type SearchOrder = GlobOrder | GrepOrder;

const lineMatch = z.strictObject({ path: z.string(), line: z.int(), text: z.string() });

/** `complete` is false when there is more than the report contains. */
export const searchReportSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('paths'), paths: z.array(z.string()), complete: z.boolean() }),
  z.strictObject({ kind: z.literal('lines'), lines: z.array(lineMatch), complete: z.boolean() }),
  /** A sentence for the model. */
  z.strictObject({ kind: z.literal('refused'), message: z.string() }),
]);

export type SearchReport = z.output<typeof searchReportSchema>;
export type LineMatch = z.output<typeof lineMatch>;

// Searches a thread's files by name and by text, in a process of its own: an expression may never end.
import { invalid } from '../../errors.ts';
import { type FairShare, refusalSentence } from '../../fair-share/fair-share.ts';
import { askProcess } from '../../processes/ask-process.ts';
import type { WorkspacePlace } from '../paths.ts';
import { type FoundReadOnly, findReadOnly, type ReadOnlyFolders } from '../read-only/read-only-folders.ts';
import {
  type GlobOrder,
  type GrepOrder,
  type ReadOnlyPlace,
  type SearchOrder,
  type SearchReport,
  searchReportSchema,
} from './search-order.ts';

type Asked<Order> = Omit<Order, 'kind' | 'dataHome' | 'place' | 'readOnly'>;

/** Paths are virtual. A bad request fails with `invalid`, whose detail is a sentence for the model. */
export interface WorkspaceSearch {
  glob(asked: Asked<GlobOrder>, signal: AbortSignal): Promise<Extract<SearchReport, { kind: 'paths' }>>;
  grep(asked: Asked<GrepOrder>, signal: AbortSignal): Promise<Extract<SearchReport, { kind: 'lines' }>>;
}

export type WorkspaceSearchOf = (place: WorkspacePlace) => WorkspaceSearch;

interface SearchParts {
  readonly dataHome: string;
  /** A search occupies one while its process runs. */
  readonly places: FairShare;
  /** Folders that can be searched besides the thread's files. Absent: none. */
  readonly readOnly?: ReadOnlyFolders | undefined;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;
const MAX_HEAP_MB = 256;

export function createWorkspaceSearch(parts: SearchParts): WorkspaceSearchOf {
  const { dataHome, places, readOnly: folders, timeoutMs = TIMEOUT_MS } = parts;
  return ({ userId, threadId }) => {
    const at = async (path: string) => {
      const found = folders && (await findReadOnly(folders, userId, path));
      return { dataHome, place: { userId, threadId }, readOnly: found ? readOnlyPlaces(found) : null };
    };
    const search = async (order: SearchOrder, signal: AbortSignal): Promise<SearchReport> => {
      const turn = await places.use(userId, signal, () => searchNow(order, signal, timeoutMs));
      if (turn.kind === 'done') return turn.result;
      const message = turn.kind === 'cancelled' ? TIMED_OUT.cancelled : refusalSentence(turn, 'searches');
      return { kind: 'refused', message };
    };
    return {
      async glob(asked, signal) {
        const report = await search({ kind: 'glob', ...(await at(asked.path)), ...asked }, signal);
        if (report.kind === 'paths') return report;
        throw refusal(report);
      },
      async grep(asked, signal) {
        const report = await search({ kind: 'grep', ...(await at(asked.path)), ...asked }, signal);
        if (report.kind === 'lines') return report;
        throw refusal(report);
      },
    };
  };
}

function readOnlyPlaces(found: FoundReadOnly): readonly ReadOnlyPlace[] {
  if (found.kind === 'above') return found.folders.map(({ real, virtual }) => ({ real, virtual, names: [] }));
  const { folder, names, path } = found;
  return [{ real: folder.real, names, virtual: path.text }];
}

function refusal(report: SearchReport): Error {
  return report.kind === 'refused'
    ? invalid(report.message)
    : new TypeError(`Unasked answer: ${report.kind}`);
}

async function searchNow(order: SearchOrder, signal: AbortSignal, timeoutMs: number): Promise<SearchReport> {
  const program = new URL('./search-process.ts', import.meta.url);
  const asked = await askProcess({ program, order, heapMb: MAX_HEAP_MB, timeoutMs, signal });
  if (asked.kind === 'answered') return searchReportSchema.parse(asked.outcome);
  return { kind: 'refused', message: TIMED_OUT[asked.kind] };
}

const TIMED_OUT = {
  cancelled: 'The search was cancelled.',
  timeout: 'The search took too long; search a smaller folder, or use a simpler pattern.',
  died: 'The search took too much memory; search a smaller folder, or use a simpler pattern.',
} as const;

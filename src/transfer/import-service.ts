// Imports packages. Either all threads of a package appear, or none of them.
import { ServiceError } from '../errors.ts';
import { createFairShare, refusalSentence } from '../fair-share/fair-share.ts';
import { fairShareLimits } from '../fair-share/fair-share-options.ts';
import type { Log } from '../log.ts';
import type { AccountSkills, LineParts } from '../storage/account-packages.ts';
import type { ThreadImport, ThreadImports } from '../storage/thread-packages.ts';
import type { WorkspaceFilesOf } from '../workspace/workspace-files.ts';
import { checkItems, type ImportItemsParts, importItems } from './import-items.ts';
import { checkLines, type ImportedParts, importLines } from './import-lines.ts';
import { checkSkills, type ImportedSkills, importSkills, switchesIn } from './import-skills.ts';
import { type ImportedCounts, type ImportThreadParts, importThread } from './import-thread.ts';
import { STORE } from './package-format.ts';
import { openPackage, type PackageEntry, type PackageReader } from './package-reader.ts';
import { refusedPackage } from './package-text.ts';
import { type Spool, withSpooled } from './spool.ts';
import type { LineCounts } from './thread-lines.ts';
import type { TransferOptions } from './transfer-options.ts';

export interface ImportRequest {
  /** The future owner of the threads. */
  readonly userId: string;
  /** For the audit log: the requesting user, `null` for the operator, and the client's address. */
  readonly actor: string | null;
  readonly clientIp: string | null;
  /** `thread` requires a package of exactly one thread. */
  readonly what: 'thread' | 'account';
  /** The bytes of the zip, complete or from a client that may stop. */
  readonly pieces: AsyncIterable<Uint8Array>;
  /** Called after each thread with the number of imported threads and of all threads. */
  readonly onThread?: ((added: number, all: number) => void) | undefined;
}

export interface ImportSummary extends LineCounts, ImportedParts {
  /** In the order of the package, each with its id there and its id here. */
  readonly threads: readonly { readonly sourceId: string; readonly threadId: string }[];
  readonly files: number;
  /** Number of store items that the account did not have. */
  readonly items: number;
  readonly skills: ImportedSkills;
}

export type ImportService = ReturnType<typeof createImportService>;

export interface ImportServiceParts extends ImportItemsParts {
  readonly imports: ThreadImports;
  readonly workspace: WorkspaceFilesOf;
  readonly skills: AccountSkills;
  readonly lines: LineParts;
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
  readonly spool: Spool;
  readonly options: TransferOptions;
  /** Removes what a failed import has stored. */
  readonly clearAway: (left: ThreadImport) => Promise<void>;
  readonly log: Log;
  readonly newId: () => string;
}

/** How long an import may make no progress before other processes remove it. */
const STALLED_MS = 120_000;
const MEGABYTE = 1_048_576;

/** How long a received package waits for its turn. */
const WAIT_FOR_TURN_MS = 60_000;

export function createImportService(parts: ImportServiceParts) {
  const { spool, options } = parts;
  // Packages are held in memory line by line, and a line may be long.
  const turns = createFairShare(fairShareLimits(options, WAIT_FOR_TURN_MS));
  return {
    /**
     * Shows all threads of the package together once everything of it is stored; items of the store appear a
     * moment before. Throws `validation_failed` with a sentence for a package that is damaged, unsafe or too
     * large unpacked, and `payload_too_large`; nothing of it remains then. Agents, memory, schedules and skills
     * of an account follow after the threads, and the summary names those that were left out.
     */
    bringIn: (request: ImportRequest): Promise<ImportSummary> =>
      withSpooled(spool, request.pieces, async (fd) => {
        const turn = await turns.use(request.userId, NEVER, () => readIn(parts, request, fd));
        if (turn.kind === 'done') return turn.result;
        if (turn.kind === 'cancelled') throw new Error('an import that cannot be given up was given up');
        const { retryAfterSeconds } = turn;
        throw new ServiceError('too_many_attempts', refusalSentence(turn, 'imports'), { retryAfterSeconds });
      }),
  };
}

const NEVER = new AbortController().signal;

async function readIn(
  parts: ImportServiceParts,
  { userId, actor, clientIp, what, onThread }: ImportRequest,
  fd: number,
): Promise<ImportSummary> {
  const { imports, options, clearAway, log, now, newId } = parts;
  const reader = await openPackage(fd, options);
  refuseOtherContents(reader, what);
  const items = reader.entries.find(({ name }) => name === STORE);
  if (items !== undefined) await checkItems(parts, userId, items);
  const off = await switchesIn(reader);
  if (what === 'account') {
    await checkLines(reader, parts.lines);
    await checkSkills(reader);
  }
  const importId = newId();
  const current = (): ThreadImport => ({ importId, userId, takenUntil: now() + STALLED_MS });
  await imports.open(current());
  let summary: Omit<ImportSummary, keyof PersonalSummary>;
  try {
    const added = await addEverything({ parts, reader, current, onThread });
    // Items come last, because a failure does not remove them.
    summary = { ...added, items: items === undefined ? 0 : await importItems(parts, userId, items) };
    await imports.publish(current(), { actor, clientIp });
  } catch (error) {
    await clearAway(current()).catch((err: unknown) => {
      log.warn({ err, importId }, 'the remains of a failed import will be removed later');
    });
    throw error;
  }
  if (what === 'thread')
    return { ...summary, agents: NOTHING, memory: NOTHING, schedules: NOTHING, skills: NOTHING };
  const { lines, skills } = parts;
  const threadIds = new Map(summary.threads.map(({ sourceId, threadId }) => [sourceId, threadId]));
  // Neither of these rejects.
  const imported = await importLines(reader, { lines, target: { userId, threadIds }, log });
  return { ...summary, ...imported, skills: await importSkills(reader, { skills, userId, off, log }) };
}

type PersonalSummary = Pick<ImportSummary, keyof ImportedParts | 'skills'>;

const NOTHING = { added: [], leftOut: [] };

function refuseOtherContents(
  { kind, entries, threadsLeftOut }: PackageReader,
  what: ImportRequest['what'],
): void {
  const threadIds = new Set(
    entries.flatMap(({ place }) => (place.kind === 'thread' ? [place.threadId] : [])),
  );
  const unknown = entries.find(({ place }) => place.kind === 'file' && !threadIds.has(place.threadId));
  if (unknown !== undefined)
    throw refusedPackage(`${JSON.stringify(unknown.name)} belongs to no thread of the package.`);
  if (what === 'account') return;
  if (kind === 'thread' && threadIds.size === 1 && threadsLeftOut.size === 0) return;
  throw refusedPackage('The package is not that of one thread; import it as an account.');
}

type ImportedThreads = Omit<ImportSummary, 'items' | keyof PersonalSummary>;

async function addEverything(bringing: Bringing): Promise<ImportedThreads> {
  const { parts, reader, current, onThread } = bringing;
  const added = new Map<string, ImportedCounts>();
  const whole = reader.entries.filter(
    ({ place }) => !('threadId' in place) || !reader.threadsLeftOut.has(place.threadId),
  );
  const all = whole.filter(({ place }) => place.kind === 'thread').length;
  for (const entry of whole) {
    const { place } = entry;
    if (place.kind !== 'thread') continue;
    added.set(place.threadId, await importThread(threadParts(parts, current), { ...entry, ...place }));
    onThread?.(added.size, all);
  }
  let files = 0;
  for (const entry of whole) files += await addFile(bringing, entry, added);
  return summaryOf(added, files);
}

function threadParts(parts: ImportServiceParts, current: () => ThreadImport): ImportThreadParts {
  return { ...parts, current, maxLineBytes: parts.options.max_line_mb * MEGABYTE };
}

interface Bringing extends Pick<ImportRequest, 'onThread'> {
  readonly parts: ImportServiceParts;
  readonly reader: PackageReader;
  readonly current: () => ThreadImport;
}

/**
 * Writes a file directly to its place, because its thread is not visible yet. Returns the number of files.
 */
async function addFile(
  { parts, current }: Bringing,
  { place, read }: PackageEntry,
  added: ReadonlyMap<string, ImportedCounts>,
): Promise<number> {
  if (place.kind !== 'file') return 0;
  const threadId = added.get(place.threadId)?.threadId;
  if (threadId === undefined) return 0;
  await parts.imports.renewClaim(current());
  const files = parts.workspace({ userId: current().userId, threadId });
  await files.writeBytes(['/mnt/user-data', ...place.names].join('/'), read());
  return 1;
}

function summaryOf(added: ReadonlyMap<string, ImportedCounts>, files: number): ImportedThreads {
  const sum = (field: keyof LineCounts) =>
    [...added.values()].reduce((total, counts) => total + counts[field], 0);
  return {
    threads: [...added].map(([sourceId, { threadId }]) => ({ sourceId, threadId })),
    runs: sum('runs'),
    checkpoints: sum('checkpoints'),
    events: sum('events'),
    feedback: sum('feedback'),
    files,
  };
}

// Brings the lines of one thread into the database, a bounded number of rows at a time, where nobody sees them yet.
import type { Json } from '../messages/message.ts';
import type { NewCheckpoint } from '../storage/checkpoints.ts';
import type {
  EndedRun,
  ImportedEvent,
  ImportedRows,
  ThreadImport,
  ThreadImports,
} from '../storage/thread-imports.ts';
import type { ThreadRecord } from '../storage/threads.ts';
import { type Ids, newIds, OWN_IDS } from './new-ids.ts';
import { lineSchema, type PackageLine } from './package-format.ts';
import { readLines } from './read-lines.ts';
import { refusedPackage } from './refused-package.ts';
import { createThreadRowReader, type ImportedFeedback, type ThreadRowReader } from './thread-rows.ts';

export interface ImportThreadParts {
  readonly imports: ThreadImports;
  /** The import as it goes on: taken on from now on. */
  readonly current: () => ThreadImport;
  /** Throws a `ServiceError` for a text that is no JSON or unsafe. */
  readonly parseJson: (bytes: Uint8Array) => Json;
  readonly maxLineBytes: number;
}

export interface ThreadFile {
  readonly name: string;
  readonly threadId: string;
  /** From the beginning, every time it is called. */
  readonly read: () => AsyncGenerator<Uint8Array>;
}

export interface ImportedCounts {
  readonly threadId: string;
  readonly runs: number;
  readonly checkpoints: number;
  readonly events: number;
  readonly feedback: number;
}

const ROWS_AT_ONCE = 256;
const BATCH_CHARACTERS = 2_000_000;
const ORDER: readonly PackageLine['type'][] = ['thread', 'run', 'checkpoint', 'event', 'feedback', 'end'];

/** With the ids of the package, or with new ones when one of those is taken. */
export async function importThread(parts: ImportThreadParts, file: ThreadFile): Promise<ImportedCounts> {
  const kept = await addThread(parts, file, OWN_IDS);
  if (kept !== 'taken') return kept;
  const salt = parts.current().importId;
  const renamed = await addThread(parts, file, newIds(salt));
  if (renamed === 'taken')
    throw refusedPackage(`${file.name} has ids that other threads of the package have.`);
  return renamed;
}

async function addThread(
  parts: ImportThreadParts,
  file: ThreadFile,
  ids: Ids,
): Promise<ImportedCounts | 'taken'> {
  const lines = orderedLines(parts, file);
  try {
    const rows = createThreadRowReader(file.name, ids);
    const first = (await lines.next()).value;
    if (first?.type !== 'thread') throw refusedPackage(`${file.name} is cut off.`);
    if (first.thread_id !== file.threadId) throw refusedPackage(`${file.name} holds another thread.`);
    const thread = rows.thread(first);
    if ((await parts.imports.beginThread(parts.current(), thread)) === 'taken') return 'taken';
    const counts = await addRows({ parts, file, rows, thread }, lines);
    return counts ?? (await giveUp(parts, thread.threadId));
  } finally {
    await lines.return(undefined);
  }
}

interface Adding {
  readonly parts: ImportThreadParts;
  readonly file: ThreadFile;
  readonly rows: ThreadRowReader;
  readonly thread: Omit<ThreadRecord, 'userId'>;
}

/** The rest of the lines; `undefined` when an id is taken. */
async function addRows(
  { parts: { imports, current }, file, rows, thread }: Adding,
  lines: AsyncGenerator<PackageLine>,
): Promise<ImportedCounts | undefined> {
  const { threadId } = thread;
  const batch = createBatch();
  let counts: ImportedCounts | undefined;
  // To the last byte, which tells whether the file is what the manifest says.
  for await (const line of lines) {
    if (line.type === 'thread') throw refusedPackage(`${file.name} holds two threads.`);
    if (line.type === 'end') {
      rows.end(line, thread);
      const { type: _, ...lines } = line;
      counts = { threadId, ...lines };
    } else {
      batch.add(rows, line);
      if (batch.isFull() && (await imports.add(current(), threadId, batch.take())) === 'taken')
        return undefined;
    }
  }
  if (counts === undefined) throw refusedPackage(`${file.name} is cut off.`);
  if ((await imports.add(current(), threadId, batch.take())) === 'taken') return undefined;
  await imports.finishThread(current(), thread);
  return counts;
}

/** What was added under ids of which one is taken goes again. */
async function giveUp({ imports, current }: ImportThreadParts, threadId: string): Promise<'taken'> {
  await imports.dropThread(current(), threadId);
  return 'taken';
}

/** Lines in the order of the format: the thread, runs, checkpoints, events, and the end, after which nothing comes. */
async function* orderedLines(parts: ImportThreadParts, file: ThreadFile): AsyncGenerator<PackageLine> {
  let place = -1;
  let number = 0;
  for await (const bytes of readLines(file.read(), { name: file.name, maxBytes: parts.maxLineBytes })) {
    number += 1;
    const line = parsedLine(parts, bytes, `${file.name}, line ${number}`);
    const next = ORDER.indexOf(line.type);
    const repeated = next === place && line.type !== 'thread' && line.type !== 'end';
    if ((place === -1 && next !== 0) || (next <= place && !repeated)) {
      throw refusedPackage(`${file.name}, line ${number}: a line of type ${line.type} does not belong here.`);
    }
    place = next;
    yield line;
  }
}

function parsedLine({ parseJson }: ImportThreadParts, bytes: Uint8Array, where: string): PackageLine {
  let value: Json;
  try {
    value = parseJson(bytes);
  } catch (error) {
    throw refusedPackage(`${where}: ${error instanceof Error ? error.message : 'it is no JSON.'}`);
  }
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refusedPackage(`${where}: ${[...(issue?.path ?? [])].join('.')} ${issue?.message}.`);
}

interface Batch {
  add(
    rows: ThreadRowReader,
    line: Extract<PackageLine, { type: 'run' | 'checkpoint' | 'event' | 'feedback' }>,
  ): void;
  isFull(): boolean;
  take(): ImportedRows;
}

/** Bounded in rows and, roughly, in characters. */
function createBatch(): Batch {
  let runs: EndedRun[] = [];
  let checkpoints: NewCheckpoint[] = [];
  let events: ImportedEvent[] = [];
  let feedback: ImportedFeedback[] = [];
  let characters = 0;
  const size = () => runs.length + checkpoints.length + events.length + feedback.length;
  return {
    add(rows, line) {
      if (line.type === 'run') {
        const run = rows.run(line);
        characters += JSON.stringify(run.kwargs).length;
        runs.push(run);
      } else if (line.type === 'checkpoint') {
        const checkpoint = rows.checkpoint(line);
        characters += checkpoint.delta.length + (checkpoint.snapshot?.length ?? 0);
        checkpoints.push(checkpoint);
      } else if (line.type === 'feedback') {
        feedback.push(rows.feedback(line));
      } else {
        const event = rows.event(line);
        characters += typeof event.content === 'string' ? event.content.length : 1_000;
        events.push(event);
      }
    },
    isFull: () => size() >= ROWS_AT_ONCE || characters >= BATCH_CHARACTERS,
    take() {
      const taken = { runs, checkpoints, events, feedback };
      runs = [];
      checkpoints = [];
      events = [];
      feedback = [];
      characters = 0;
      return taken;
    },
  };
}

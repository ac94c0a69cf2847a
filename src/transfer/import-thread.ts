// Inserts the lines of one thread into the database, a bounded number of rows at a time. The thread stays
// invisible.
import { createBreath } from '../breath.ts';
import { metadataBytes } from '../messages/bounded-json.ts';
import { type StateDelta, serializedMessages } from '../messages/thread-state.ts';
import type { CheckpointTexts } from '../storage/checkpoints.ts';
import type { ImportedRows, ThreadImport, ThreadImports } from '../storage/thread-packages.ts';
import type { ThreadRecord } from '../storage/threads.ts';
import type { AdmitMetadata } from '../storage/usage.ts';
import { type Ids, newIds, OWN_IDS } from './new-ids.ts';
import { type LineOf, lineSchema, messageSchema, type PackageLine } from './package-format.ts';
import {
  type LinesFile,
  type PackageText,
  parsedPackage,
  parsePackageJson,
  readLines,
  refusedPackage,
} from './package-text.ts';
import type { LineCounts } from './thread-lines.ts';
import { createThreadRowReader, type ThreadRowReader } from './thread-rows.ts';

export interface ImportThreadParts {
  readonly imports: ThreadImports;
  /** The import, with its claim extended from now on. */
  readonly current: () => ThreadImport;
  readonly maxLineBytes: number;
  /** The largest state of a thread, in bytes. */
  readonly maxStateBytes: number;
  readonly admitMetadata: AdmitMetadata;
}

export interface ThreadFile extends LinesFile {
  readonly threadId: string;
}

export interface ImportedCounts extends LineCounts {
  readonly threadId: string;
}

const ROWS_AT_ONCE = 256;
const BATCH_CHARACTERS = 2_000_000;
const ORDER: readonly PackageLine['type'][] = ['thread', 'run', 'checkpoint', 'event', 'feedback', 'end'];

/** Imports a thread with the ids of the package, or with new ids when one of them is taken. */
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
    const rows = createThreadRowReader({ name: file.name, ids, maxStateBytes: parts.maxStateBytes });
    const first = (await lines.next()).value;
    if (first?.type !== 'thread') throw refusedPackage(`${file.name} is cut off.`);
    if (first.thread_id !== file.threadId) throw refusedPackage(`${file.name} holds another thread.`);
    const thread = rows.thread(first);
    await admitMetadata(parts, first);
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

/** Adds the remaining lines. Returns `undefined` when an id is taken. */
async function addRows(
  { parts, file, rows, thread }: Adding,
  lines: AsyncGenerator<PackageLine>,
): Promise<ImportedCounts | undefined> {
  const { imports, current } = parts;
  const { threadId } = thread;
  const batch = new Batch();
  let counts: ImportedCounts | undefined;
  // Reads to the last byte, which shows whether the file matches the manifest.
  for await (const line of lines) {
    if (line.type === 'thread') throw refusedPackage(`${file.name} holds two threads.`);
    if (line.type === 'end') {
      rows.end(line, thread);
      const { type: _, ...lines } = line;
      counts = { threadId, ...lines };
    } else {
      await admitMetadata(parts, line);
      await batch.add(rows, line);
      if (batch.isFull && (await imports.add(current(), threadId, batch.take())) === 'taken')
        return undefined;
    }
  }
  if (counts === undefined) throw refusedPackage(`${file.name} is cut off.`);
  if ((await imports.add(current(), threadId, batch.take())) === 'taken') return undefined;
  await imports.finishThread(current(), thread);
  return counts;
}

async function admitMetadata(
  { current, admitMetadata }: ImportThreadParts,
  line: PackageLine,
): Promise<void> {
  if (line.type !== 'thread' && line.type !== 'run') return;
  await admitMetadata(current().userId, metadataBytes(line.metadata));
}

/** Removes what was added before an id turned out to be taken. */
async function giveUp({ imports, current }: ImportThreadParts, threadId: string): Promise<'taken'> {
  await imports.dropThread(current(), threadId);
  return 'taken';
}

/**
 * Yields lines in the order of the format: the thread, runs, checkpoints, events, feedback, and the end,
 * after which nothing comes. Throws `validation_failed` for any other order.
 */
async function* orderedLines(parts: ImportThreadParts, file: ThreadFile): AsyncGenerator<PackageLine> {
  let place = -1;
  for await (const text of readLines(file, parts.maxLineBytes)) {
    const line = await parsedLine(text);
    const next = ORDER.indexOf(line.type);
    const repeated = next === place && line.type !== 'thread' && line.type !== 'end';
    if ((place === -1 && next !== 0) || (next <= place && !repeated)) {
      throw refusedPackage(`${text.where}: a line of type ${line.type} does not belong here.`);
    }
    place = next;
    yield line;
  }
}

/** Only checkpoints may be longer, because they hold changes of a state. */
const MAX_PLAIN_BYTES = 16_777_216;

async function parsedLine({ bytes, where }: PackageText): Promise<PackageLine> {
  const line = parsedPackage(lineSchema, await parsePackageJson(bytes, where), where);
  if (line.type !== 'checkpoint' && bytes.length > MAX_PLAIN_BYTES)
    throw refusedPackage(`${where}: it is longer than 16 MB, and no checkpoint.`);
  return line;
}

async function textsOf(line: LineOf<'checkpoint'>): Promise<CheckpointTexts> {
  const where = `the checkpoint ${line.checkpoint_id}`;
  const delta = await checkedText(line.delta, where);
  return { delta, snapshot: line.snapshot === null ? null : await checkedText(line.snapshot, where) };
}

/** Validates the messages of a change. Returns its JSON text. */
async function checkedText({ messages, values }: StateDelta, where: string): Promise<string> {
  const breath = createBreath();
  const texts: string[] = [];
  for (const message of messages) {
    parsedPackage(messageSchema, message, `${where}: a message`);
    texts.push(serializedMessages([message]).slice(1, -1));
    await breath();
  }
  const fields: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    fields.push(`${JSON.stringify(key)}:${JSON.stringify(value)}`);
    await breath();
  }
  return `{"messages":[${texts.join(',')}],"values":{${fields.join(',')}}}`;
}

type Rows = { readonly [Kind in keyof ImportedRows]: ImportedRows[Kind][number][] };

const noRows = (): Rows => ({ runs: [], checkpoints: [], events: [], feedback: [] });

/** Bounded in rows and, roughly, in characters. */
class Batch {
  #rows = noRows();
  #count = 0;
  #characters = 0;

  async add(rows: ThreadRowReader, line: LineOf<'run' | 'checkpoint' | 'event' | 'feedback'>): Promise<void> {
    this.#count += 1;
    if (line.type === 'run') {
      const run = rows.run(line);
      this.#characters += JSON.stringify(run.kwargs).length;
      this.#rows.runs.push(run);
    } else if (line.type === 'checkpoint') {
      const checkpoint = rows.checkpoint(line, await textsOf(line));
      this.#characters += checkpoint.delta.length + (checkpoint.snapshot?.length ?? 0);
      this.#rows.checkpoints.push(checkpoint);
    } else if (line.type === 'feedback') {
      this.#rows.feedback.push(rows.feedback(line));
    } else {
      const event = rows.event(line);
      this.#characters += typeof event.content === 'string' ? event.content.length : 1_000;
      this.#rows.events.push(event);
    }
  }

  get isFull(): boolean {
    return this.#count >= ROWS_AT_ONCE || this.#characters >= BATCH_CHARACTERS;
  }

  take(): ImportedRows {
    const taken = this.#rows;
    this.#rows = noRows();
    this.#count = 0;
    this.#characters = 0;
    return taken;
  }
}

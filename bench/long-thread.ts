// One long conversation: what a turn writes and costs at its beginning and at its end.
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cpuMicroseconds } from './process-usage.ts';
import { type PromptMeter, startPromptMeter } from './prompt-meter.ts';
import { prose } from './prose.ts';
import { longThreadFile } from './scripted-answers.ts';
import { type RunningService, restartService, startService } from './service.ts';

export interface TurnWindow {
  /** The turn in the middle of the window. */
  readonly turn: number;
  /** Averages of the turns of the window; of CPU their median. */
  readonly fileBytes: number;
  readonly rowBytes: number;
  readonly walBytes: number;
  readonly cpuMilliseconds: number;
  readonly promptMilliseconds: number;
}

export interface LongThreadFigures {
  readonly turns: number;
  readonly windows: readonly TurnWindow[];
  /** Of the whole database, in the end. */
  readonly bytesPerTurn: number;
  /** Of the file before the first turn: its tables and the account. */
  readonly freshBytes: number;
  /** The growth caused by the turns and everything that belongs to them, once their streams are pruned. */
  readonly prunedBytesPerTurn: number;
}

interface LongThreadOrder {
  readonly modelPort: number;
  readonly turns: number;
  readonly log: (text: string) => void;
}

const WINDOW = 10;
const QUESTION_BYTES = 512;
const RESULT_BYTES = 2_000;
/** Turns of other threads that make the code of the service and of the meter hot first. */
const WARM_UP_TURNS = 60;

export async function measureLongThread({
  modelPort,
  turns,
  log,
}: LongThreadOrder): Promise<LongThreadFigures> {
  log(`one thread of ${turns} turns`);
  const service = await startService(modelPort);
  const meter = await startPromptMeter(modelPort);
  try {
    const database = openDatabase(service);
    const fresh = sizesOf(database).file;
    await warmUp(service, meter);
    const thread = await openThread(service);
    const empty = sizesOf(database).file;
    const windows: TurnWindow[] = [];
    const middles = [10, 50, 100, 200, 500, 1_000, 2_000].filter((turn) => turn <= turns);
    let turn = 1;
    for (const middle of middles) {
      // The last window ends with the last turn.
      const first = Math.min(middle - Math.floor(WINDOW / 2), turns - WINDOW + 1);
      while (turn < first) await ask(service, thread, turn++);
      windows.push(await measureWindow({ service, meter, database, thread }, turn, middle));
      turn += WINDOW;
      log(`turn ${turn - 1}`);
    }
    const bytesPerTurn = (sizesOf(database).file - empty) / (turn - 1);
    database.close();
    log('pruning');
    const added = (await prunedFileBytes(service, modelPort)) - fresh;
    const prunedBytesPerTurn = added / (WARM_UP_TURNS + turn - 1);
    return { turns, windows, bytesPerTurn, freshBytes: fresh, prunedBytesPerTurn };
  } finally {
    await meter.end();
    await service.end();
  }
}

interface Thread {
  readonly threadId: string;
  readonly url: string;
}

interface Measured {
  readonly service: RunningService;
  readonly meter: PromptMeter;
  readonly database: DatabaseSync;
  readonly thread: Thread;
}

async function measureWindow(
  { service, meter, database, thread }: Measured,
  first: number,
  middle: number,
): Promise<TurnWindow> {
  const before = sizesOf(database);
  const cpu: number[] = [];
  const prompt: number[] = [];
  for (let turn = first; turn < first + WINDOW; turn++) {
    const start = cpuMicroseconds(service.pid);
    await ask(service, thread, turn);
    cpu.push((cpuMicroseconds(service.pid) - start) / 1_000);
  }
  const wal = walBytes(service);
  const after = sizesOf(database);
  const state = await get(service, `${thread.url}/state`);
  for (let turn = first; turn < first + WINDOW; turn++)
    prompt.push((await meter.measure(state, turn)) / 1_000);
  return {
    turn: middle,
    fileBytes: (after.file - before.file) / WINDOW,
    rowBytes: (after.rows - before.rows) / WINDOW,
    walBytes: wal / WINDOW,
    cpuMilliseconds: median(cpu),
    promptMilliseconds: median(prompt),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

async function warmUp(service: RunningService, meter: PromptMeter): Promise<void> {
  const thread = await openThread(service);
  for (let turn = 1; turn <= WARM_UP_TURNS; turn++) await ask(service, thread, turn);
  const state = await get(service, `${thread.url}/state`);
  for (let turn = 1; turn <= WARM_UP_TURNS; turn++) await meter.measure(state, turn);
}

async function openThread(service: RunningService): Promise<Thread> {
  const answer = await fetch(`http://127.0.0.1:${service.port}/api/graph/threads`, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: '{}',
  });
  const { thread_id: threadId } = JSON.parse(await answer.text());
  return { threadId, url: `http://127.0.0.1:${service.port}/api/graph/threads/${threadId}` };
}

/** One turn: the file that the tool reads is put there first, so that every result is a new text. */
async function ask(service: RunningService, { threadId, url }: Thread, turn: number): Promise<void> {
  const folder = join(
    service.dataHome,
    'users',
    service.userId,
    'threads',
    threadId,
    'user-data',
    'workspace',
  );
  mkdirSync(folder, { recursive: true });
  const lines = [`turn ${turn} line 0`, prose(turn, RESULT_BYTES).match(/.{1,80}/g)].flat();
  writeFileSync(join(folder, longThreadFile(turn).split('/').at(-1) ?? ''), `${lines.join('\n')}\n`);
  const answer = await fetch(`${url}/runs/stream`, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      assistant_id: 'lead_agent',
      input: {
        messages: [
          { role: 'user', content: `turn=${turn} ${prose(-turn, QUESTION_BYTES)}`.slice(0, QUESTION_BYTES) },
        ],
      },
      stream_mode: ['messages-tuple'],
    }),
  });
  const frames = await answer.text();
  if (!frames.includes(`turn ${turn} line 0`) || !frames.endsWith('\n\n')) {
    throw new Error(`Turn ${turn} went wrong: ${frames.slice(-500)}`);
  }
}

/** The size of the database file after a start of the service that finds all streams due. */
async function prunedFileBytes(service: RunningService, modelPort: number): Promise<number> {
  await service.stop();
  const pruning = await restartService(service, modelPort, { runs: ['frame_retention_hours: 0'] });
  try {
    const database = openDatabase(service);
    while (single(database, 'select count(*) from runs where frames_pruned = 0') > 0) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    database.close();
  } finally {
    await pruning.stop();
  }
  return statSync(databasePath(service)).size;
}

async function get(service: RunningService, url: string): Promise<string> {
  const answer = await fetch(url, { headers: service.headers });
  return answer.text();
}

function openDatabase(service: RunningService): DatabaseSync {
  const database = new DatabaseSync(databasePath(service));
  database.exec('pragma busy_timeout = 5000');
  return database;
}

function databasePath(service: RunningService): string {
  return join(service.dataHome, 'service.db');
}

function walBytes(service: RunningService): number {
  return statSync(`${databasePath(service)}-wal`).size;
}

interface Sizes {
  readonly file: number;
  readonly rows: number;
}

/** Empties the log into the file first, so that the file is all there is. */
function sizesOf(database: DatabaseSync): Sizes {
  database.exec('pragma wal_checkpoint(truncate)');
  return { file: single(database, PAGES), rows: rowBytes(database) };
}

const PAGES =
  'select (page_count - freelist_count) * page_size from pragma_page_count, pragma_freelist_count, pragma_page_size';

/** The bytes of every column of every row, numbers as their text. */
function rowBytes(database: DatabaseSync): number {
  const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
  return tables.reduce((sum, { name }) => {
    const columns = database.prepare(`select name from pragma_table_info('${name}')`).all();
    const lengths = columns.map((column) => `coalesce(length(cast("${column.name}" as blob)), 0)`);
    return sum + single(database, `select coalesce(sum(${lengths.join(' + ')}), 0) from "${name}"`);
  }, 0);
}

function single(database: DatabaseSync, sql: string): number {
  return Number(Object.values(database.prepare(sql).get() ?? {})[0] ?? 0);
}

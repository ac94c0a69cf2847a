// The machine loses power at any moment: everything that the service has shown is there after the restart.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loggedEvents } from '../../src/runs/log/log-event.ts';
import { isTerminal } from '../../src/storage/runs.ts';
import { openStorage } from '../../src/storage/sql/open-storage.ts';
import { UNSCOPED } from '../../src/storage/storage.ts';
import { createRandom } from '../simulation/random.ts';
import { amount } from '../support/amount.ts';
import { rowsWith } from '../support/every-table.ts';
import { answer } from '../support/model-server/answer.ts';
import { QUIET_LOG } from '../support/quiet-log.ts';
import { openTestService, question, streamed } from '../support/service.ts';
import { differencesIn } from '../support/stored-truth.ts';
import { sendFiles } from '../support/upload.ts';
import { type FaultService, startFaultService } from './fault-service.ts';
import { type Luck, RecordedDisk } from './recorded-disk.ts';
import { readSystemCalls, recordedBy, type SystemCall } from './system-calls.ts';

/** For more cuts: `POWER_CUTS=500 npx vitest run test/faults/power-cut.test.ts`. */
const CUTS = Number(process.env.POWER_CUTS ?? amount(20, 40));
const SEED = Number(process.env.POWER_SEED ?? '1');
/** The service is started on the remains of every n-th cut. */
const RESTARTS_EVERY = 10;
const LUCKS: readonly Luck[] = ['nothing', 'some', 'all'];
const THREADS = 3;
const TURNS = 3;
const TOKENS = 12;
const MEGABYTE = 1_048_576;

/** Every thread, question, word and note carries a unique number, so that it can be found anywhere. */
const MARK = /\b(?:thread|ask|word|note)-\d+-\d+(?:-\d+)?\b/g;
const FILE = /\bfile-\d+-\d+\.bin\b/g;
const contentOf = (name: string) => `${name} `.repeat(2_000);

let folder: string;
let calls: readonly SystemCall[];
let dataHome: string;

/** In each turn of a thread, uploads a file and asks; every second reply writes a note before its words. */
async function talk({ client }: FaultService, thread: number): Promise<void> {
  const created = await client.post('/api/graph/threads', { metadata: { mark: `thread-${thread}-0` } });
  const { thread_id: threadId } = (await created.json()) as { thread_id: string };
  for (let turn = 0; turn < TURNS; turn++) {
    const name = `file-${thread}-${turn}.bin`;
    expect((await sendFiles(client, threadId, [{ name, content: contentOf(name) }])).status).toBe(200);
    await streamed(client, threadId, question(`ask-${thread}-${turn}`));
  }
}

function script({ model }: Pick<FaultService, 'model'>): void {
  model.onRequest(({ body, lastUserText }) => {
    const [, turn = ''] = /ask-(\d+-\d+)/.exec(lastUserText) ?? [];
    const messages = body.messages as readonly { readonly role: string }[];
    const path = '/mnt/user-data/outputs/note.md';
    if (messages.at(-1)?.role !== 'tool' && turn.endsWith('1'))
      return answer.toolCalls([
        { name: 'write_file', args: { description: 'note', path, content: `note-${turn}` } },
      ]);
    return answer.text(Array.from({ length: TOKENS }, (_, n) => `word-${turn}-${n} `).join(''));
  });
}

beforeAll(async () => {
  if (spawnSync('strace', ['-V']).error !== undefined)
    throw new Error('This test records system calls with strace: install the Debian package strace.');
  folder = await mkdtemp(join(tmpdir(), 'power-cut-'));
  const output = join(folder, 'calls');
  const service = await startFaultService({}, recordedBy(output));
  ({ dataHome } = service.process);
  script(service);
  await Promise.all(Array.from({ length: THREADS }, (_, thread) => talk(service, thread)));
  await service.remove();
  calls = readSystemCalls(await readFile(output, 'latin1'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Returns the bytes that become visible with this call: those that are sent, and those that a tool writes to
 * a file.
 */
function told(call: SystemCall): Buffer | undefined {
  if (call.kind === 'send') return call.bytes;
  if (call.kind === 'write' && !call.path.includes('/service.db')) return call.bytes;
  return undefined;
}

/** Marks and files that others have seen. */
interface Told {
  readonly marks: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
}

async function expectAllThere(image: string, { marks, files }: Told): Promise<void> {
  const path = join(image, 'service.db');
  if (marks.size === 0 && !existsSync(path)) return;
  const storage = await openStorage({ url: `sqlite:${path}`, log: QUIET_LOG });
  try {
    expect(await differencesIn(storage)).toEqual([]);
  } finally {
    await storage.close();
  }
  const kept = new Set(rowsWith(path, ['']).join('\n').match(MARK));
  expect([...marks].filter((mark) => !kept.has(mark))).toEqual([]);
  for (const name of files) expect(await uploaded(image, name)).toBe(contentOf(name));
}

async function expectToGoOn(image: string, told: Told): Promise<void> {
  await expectAllThere(image, told);
  await goOn(image);
  await expectAllThere(image, told);
}

/**
 * Starts the service on the image, and checks that interrupted runs continue and that each run has one end.
 */
async function goOn(image: string): Promise<void> {
  const storage = await openStorage({ url: `sqlite:${join(image, 'service.db')}`, log: QUIET_LOG });
  const service = await openTestService({ dataHome: image, overrides: { storage } });
  script(service);
  const { runs, frames } = storage.as(UNSCOPED);
  const all = async () => {
    const threadIds = await storage.projections.threadIds(null, THREADS + 1);
    const lists = await Promise.all(threadIds.map((id) => runs.list(id, { limit: TURNS + 1, offset: 0 })));
    return lists.flat();
  };
  try {
    await expect.poll(async () => (await all()).filter(({ status }) => !isTerminal(status))).toEqual([]);
    const ended = await all();
    for (const { runId } of ended) {
      const rows = await frames.read(runId, 0, MEGABYTE);
      const events = rows.flatMap((row) => loggedEvents(row, 0));
      expect(events.filter(({ event }) => event.type === 'end')).toHaveLength(1);
      expect(events.at(-1)?.event).toMatchObject({ type: 'end', status: 'success' });
    }
  } finally {
    await service.close();
  }
}

async function uploaded(image: string, name: string): Promise<string | undefined> {
  const found = (await readdir(image, { recursive: true })).find((path) => path.endsWith(`uploads/${name}`));
  return found === undefined ? undefined : readFile(join(image, found), 'utf8');
}

const marksIn = (call: SystemCall) => told(call)?.toString('latin1').match(MARK) ?? [];
const filesIn = (call: SystemCall) =>
  call.kind === 'send' ? (call.bytes.toString('latin1').match(FILE) ?? []) : [];

function hear(call: SystemCall, told: { readonly marks: Set<string>; readonly files: Set<string> }): void {
  for (const mark of marksIn(call)) told.marks.add(mark);
  for (const name of filesIn(call)) told.files.add(name);
}

it(`[power.cut] at ${CUTS} moments: everything streamed, acknowledged or acted upon is there, and runs continue to one end`, async () => {
  const random = createRandom(SEED);
  const firstTold = calls.findIndex((call) => marksIn(call).length > 0);
  expect(firstTold).toBeGreaterThan(0);
  const cuts = Array.from({ length: CUTS }, (_, n) => ({
    // Some before anything was shown, most during the streams.
    at: n % 8 === 0 ? random.below(firstTold) : firstTold + random.below(calls.length - firstTold),
    luck: random.pick(LUCKS),
  })).toSorted((a, b) => a.at - b.at);
  const disk = new RecordedDisk(dataHome);
  const [marks, files] = [new Set<string>(), new Set<string>()];
  let done = 0;
  let restarts = 0;
  for (const [index, { at, luck }] of cuts.entries()) {
    for (const call of calls.slice(done, at)) {
      disk.follow(call);
      hear(call, { marks, files });
    }
    done = at;
    const image = await mkdtemp(join(folder, 'image-'));
    await disk.leave(image, luck, random);
    const isStarted = marks.size > 0 && index % RESTARTS_EVERY === RESTARTS_EVERY - 1;
    const check = isStarted ? expectToGoOn : expectAllThere;
    await check(image, { marks, files }).catch((error: unknown) => {
      throw new Error(`cut at call ${at} of ${calls.length}, luck: ${luck}, seed ${SEED}`, { cause: error });
    });
    if (isStarted) restarts++;
    await rm(image, { recursive: true, force: true });
  }
  expect(marks.size).toBeGreaterThan(THREADS * TURNS * TOKENS * 0.5);
  expect(files.size).toBeGreaterThan(THREADS * TURNS * 0.5);
  expect(restarts).toBeGreaterThan(0);
});

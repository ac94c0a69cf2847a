// Files through the service and through plain Node, by turns: handed in, and taken out.
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';
import { cpuMicroseconds, watchMemory } from './process-usage.ts';
import { type RunningService, startService } from './service.ts';

export interface TransferFigures {
  readonly megabytes: number;
  /** Medians; `write`: the file alone, from memory, without a server. CPU is that of the server. */
  readonly upload: {
    readonly ms: number;
    readonly plainMs: number;
    readonly writeMs: number;
    readonly cpuMs: number;
    readonly plainCpuMs: number;
  };
  /** Resident memory of the service that the uploads added, at most. */
  readonly uploadMegabytes: number;
  readonly served: { readonly ms: number; readonly plainMs: number };
  readonly servedMegabytes: number;
}

const MIB = 1_048_576;
const MEGABYTES = 50;
const ROUNDS = 15;
const BOUNDARY = 'bench-boundary';

export async function measureTransfer(modelPort: number): Promise<TransferFigures> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-files-'));
  const service = await startService(modelPort);
  const { child, port: plainPort } = await startServer('plain-files.ts', [folder]);
  try {
    const content = Buffer.alloc(MEGABYTES * MIB, 'some bytes of a file ');
    await writeFile(join(folder, 'served'), content);
    const threadId = await newThread(service);
    const at: Transfer = { service, plain: { port: plainPort, pid: child.pid }, folder, content, threadId };
    const uploads = await measured(service, (index) => uploadRound(at, index));
    await upload(at);
    const served = await measured(service, () => servedRound(at));
    return {
      megabytes: MEGABYTES,
      upload: {
        ms: uploads.of(0),
        cpuMs: uploads.of(1),
        plainMs: uploads.of(2),
        plainCpuMs: uploads.of(3),
        writeMs: uploads.of(4),
      },
      uploadMegabytes: uploads.megabytes,
      served: { ms: served.of(0), plainMs: served.of(1) },
      servedMegabytes: served.megabytes,
    };
  } finally {
    await child.end();
    await service.end();
    await rm(folder, { recursive: true });
  }
}

interface Transfer {
  readonly service: RunningService;
  readonly plain: { readonly port: number; readonly pid: number };
  readonly folder: string;
  readonly content: Buffer;
  readonly threadId: string;
}

/** The first round warms up. `of(n)`: the median of the n-th figure of all others. */
async function measured(service: RunningService, round: (index: number) => Promise<readonly number[]>) {
  await round(0);
  await round(1);
  const memory = watchMemory(service.pid);
  const before = memory.stop();
  const watch = watchMemory(service.pid);
  const rounds: (readonly number[])[] = [];
  for (let index = 0; index < ROUNDS; index += 1) rounds.push(await round(index));
  const megabytes = watch.stop() - before;
  const of = (figure: number) =>
    rounds.map((it) => it[figure] ?? 0).toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  return { of, megabytes };
}

/** The disk remembers what was written before: now the one begins, now the other. */
async function uploadRound(at: Transfer, index: number): Promise<readonly number[]> {
  const [first, second] = index % 2 === 0 ? [uploadOurs, uploadPlain] : [uploadPlain, uploadOurs];
  const one = await first(at);
  const other = await second(at);
  const [ours, plains] = index % 2 === 0 ? [one, other] : [other, one];
  const written = await timed(() => writeFile(join(at.folder, 'written'), at.content));
  await unlink(join(at.folder, 'written'));
  return [...ours, ...plains, written];
}

async function uploadOurs(at: Transfer): Promise<readonly [number, number]> {
  const cost = await costOf(at.service.pid, () => upload(at));
  await send(at, { method: 'DELETE', path: `/api/threads/${at.threadId}/uploads/large.bin` });
  return cost;
}

async function uploadPlain({ plain, content, folder }: Transfer): Promise<readonly [number, number]> {
  const form = formOf(content);
  const to = { port: plain.port, method: 'POST', path: '/' };
  const cost = await costOf(plain.pid, () => exchange(to, ...form));
  await unlink(join(folder, 'received'));
  return cost;
}

async function servedRound({ service, plain, threadId }: Transfer): Promise<readonly number[]> {
  const path = `/api/threads/${threadId}/artifacts/mnt/user-data/uploads/large.bin`;
  const { headers, port } = service;
  const ours = await timed(() => exchange({ port, path, headers }));
  return [ours, await timed(() => exchange({ port: plain.port, path: '/' }))];
}

function upload(at: Transfer): Promise<unknown> {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
  const path = `/api/threads/${at.threadId}/uploads`;
  return send(at, { method: 'POST', path, headers }, ...formOf(at.content));
}

function formOf(content: Buffer): readonly Buffer[] {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="large.bin"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  return [Buffer.from(head), content, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)];
}

interface Exchange {
  readonly port: number;
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

function send({ service }: Transfer, { headers, ...rest }: Omit<Exchange, 'port'>, ...body: Buffer[]) {
  return exchange({ ...rest, port: service.port, headers: { ...service.headers, ...headers } }, ...body);
}

/** Sends the body and reads the answer to its end. */
function exchange({ headers = {}, ...to }: Exchange, ...body: Buffer[]): Promise<string> {
  const length = body.reduce((sum, piece) => sum + piece.length, 0);
  return new Promise((resolve, reject) => {
    const sent = request({ ...to, headers: { ...headers, 'content-length': length } }, (response) => {
      read(response).then(
        (text) =>
          response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode} ${text}`)),
        reject,
      );
    });
    sent.on('error', reject);
    for (const piece of body) sent.write(piece);
    sent.end();
  });
}

const KEPT_CHARACTERS = 10_000;

async function read(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of response)
    if (text.length < KEPT_CHARACTERS) text += String(piece).slice(0, 1_000);
  return text;
}

async function newThread({ port, headers }: RunningService): Promise<string> {
  const body = Buffer.from('{}');
  const type = { 'content-type': 'application/json' };
  const text = await exchange(
    { port, method: 'POST', path: '/api/threads', headers: { ...headers, ...type } },
    body,
  );
  const { thread_id } = JSON.parse(text) as { readonly thread_id: string };
  return thread_id;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Milliseconds, and those of CPU that the process took meanwhile. */
async function costOf(pid: number, work: () => Promise<unknown>): Promise<readonly [number, number]> {
  const before = cpuMicroseconds(pid);
  const ms = await timed(work);
  return [ms, (cpuMicroseconds(pid) - before) / 1_000];
}

// `verify`: compares what is stored beside the record with the record, and mends it with `--repair`.
import { loadConfig } from '../config/load.ts';
import type { Difference, Projections, VerifyOptions } from '../storage/projections.ts';
import { type DataHomeLock, DataHomeLockedError, lockDataHome } from '../workspace/data-home-lock.ts';
import { type CommandContext, counted } from './command.ts';
import { withStorage } from './with-storage.ts';

/** 0 nothing differs, or all of it was mended; 1 something does; 2 a service works on the data home. */
export type VerifyExitCode = 0 | 1 | 2;

/** How many ids of threads are read at once. */
const PAGE = 200;

/** Needs an embedded database for itself; beside a cluster it leaves busy threads out. */
export async function verify(
  context: CommandContext,
  { repair = false }: { readonly repair?: boolean } = {},
): Promise<VerifyExitCode> {
  const { environment, cwd, print } = context;
  const loaded = loadConfig(environment, cwd);
  const isEmbedded = loaded.ok && loaded.config.database.url.startsWith('sqlite:');
  let lock: DataHomeLock | undefined;
  try {
    lock = isEmbedded ? lockDataHome(loaded.config.dataHome) : undefined;
    const busyThreads = isEmbedded ? 'verify' : 'skip';
    return await withStorage(context, async ({ projections }) => {
      const sums = await verifyAll(projections, { repair, busyThreads }, print);
      for (const line of summary(sums, repair)) print(line);
      return sums.left === 0 ? 0 : 1;
    });
  } catch (error) {
    if (!(error instanceof DataHomeLockedError)) throw error;
    const holder = error.pid === undefined ? 'Another process' : `Process ${error.pid}`;
    print(`${holder} works on the data home. Verifying needs it alone: stop the service first.`);
    return 2;
  } finally {
    lock?.release();
  }
}

interface Sums {
  threads: number;
  busy: number;
  differences: number;
  /** Differences that are still there. */
  left: number;
}

async function verifyAll(
  projections: Projections,
  options: VerifyOptions,
  print: CommandContext['print'],
): Promise<Sums> {
  const sums: Sums = { threads: 0, busy: 0, differences: 0, left: 0 };
  const report = (difference: Difference): void => {
    sums.differences += 1;
    if (!difference.isMended) sums.left += 1;
    print(lineOf(difference));
  };
  for await (const threadId of allThreads(projections)) {
    const verdict = await projections.verifyThread(threadId, options);
    if (verdict.kind === 'verified') sums.threads += 1;
    if (verdict.kind === 'busy') sums.busy += 1;
    if (verdict.kind === 'verified') verdict.differences.forEach(report);
  }
  for await (const difference of projections.verifyRest(options)) report(difference);
  return sums;
}

async function* allThreads(projections: Projections): AsyncGenerator<string> {
  let page = await projections.threadIds(null, PAGE);
  while (page.length > 0) {
    yield* page;
    page = await projections.threadIds(page.at(-1) ?? null, PAGE);
  }
}

function lineOf({ projection, threadId, runId, what, stored, folded, isMended }: Difference): string {
  const thread = threadId === null ? 'no thread' : `thread ${threadId}`;
  const place = runId === null ? thread : `${thread} run ${runId}`;
  const ending = isMended ? '; mended' : '';
  return `${place}  ${projection}: ${what} is ${stored}, the record says ${folded}${ending}`;
}

function summary({ threads, busy, differences, left }: Sums, repair: boolean): readonly string[] {
  const verified = `${counted(threads, 'thread')} verified`;
  const lines = [
    differences === 0
      ? `${verified}: nothing differs from the record.`
      : `${verified}: ${counted(differences, 'difference')}.`,
  ];
  if (repair && differences > left) lines.push(`${counted(differences - left, 'difference')} mended.`);
  if (repair && left > 0) lines.push('The rest is unreadable: restore it from a backup.');
  if (!repair && left > 0) lines.push('`verify --repair` makes the stored values agree with the record.');
  if (busy > 0) lines.push(`${counted(busy, 'busy thread')} skipped: verify again when they are idle.`);
  return lines;
}

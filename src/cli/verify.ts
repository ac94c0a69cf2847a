// `verify`: compares projections with the record, and repairs them with `--repair`.
import type { Difference, Projections, VerifyOptions } from '../storage/projections.ts';
import { type CommandContext, counted, type ExitCode } from './command.ts';
import { withStorageAlone } from './with-storage.ts';

/** Number of thread ids read per page. */
const PAGE = 200;

/**
 * Verifies all projections. Locks an embedded database; on Postgres it skips busy threads. Resolves to 0 if
 * nothing differs or all differences were repaired, 1 if some remain, 2 if a service uses the data home.
 */
export function verify(
  context: CommandContext,
  { repair = false }: { readonly repair?: boolean } = {},
): Promise<ExitCode | 2> {
  const { print } = context;
  const whenTaken = 'Verifying needs exclusive access: stop the service first.';
  return withStorageAlone(context, whenTaken, async ({ isAlone, storage: { projections } }) => {
    const busyThreads = isAlone ? 'verify' : 'skip';
    const sums = await verifyAll(projections, { repair, busyThreads }, print);
    for (const line of summary(sums, repair)) print(line);
    return sums.left === 0 ? 0 : 1;
  });
}

interface Sums {
  threads: number;
  busy: number;
  differences: number;
  /** Differences that were not repaired. */
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

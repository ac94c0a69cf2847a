// `import`: imports a package into an account. With SQLite, only while no service runs on the data home.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ServiceError } from '../errors.ts';
import type { ImportSummary } from '../transfer/import-service.ts';
import { type CommandContext, counted, createProgress, type ExitCode, megabytes } from './command.ts';
import { counting, fileFailure } from './command-files.ts';
import { openTransfer } from './open-transfer.ts';
import { type Alone, accountOf, withStorageAlone } from './with-storage.ts';

export interface ImportOptions {
  readonly email: string;
  /** The package, relative to the working directory. */
  readonly file: string;
}

const WHEN_TAKEN =
  'Importing needs exclusive access: stop the service first,\nor import in the web app or with POST /api/account/import while it runs.';

/**
 * Imports the whole package or nothing. Leftovers of a killed import are invisible, and the next import or
 * start removes them. Resolves to 0 if everything was imported, 1 if nothing was (and prints why), 2 if a
 * service uses the data home.
 */
export function importAccount(context: CommandContext, options: ImportOptions): Promise<ExitCode | 2> {
  return withStorageAlone(context, WHEN_TAKEN, (alone) => importInto(context, alone, options));
}

async function importInto(
  context: CommandContext,
  alone: Alone,
  { email, file }: ImportOptions,
): Promise<ExitCode> {
  const user = await accountOf(alone.storage, email);
  const path = resolve(context.cwd, file);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const summary = await bringIn(alone, { userId: user.id, handle, progress: createProgress(context) });
    context.print(sentenceOf(summary, user.email));
    return 0;
  } catch (error) {
    const sentence = error instanceof ServiceError ? error.message : fileFailure(error, path);
    if (sentence === undefined) throw error;
    context.print(`${sentence} Nothing was imported.`);
    return 1;
  } finally {
    await handle?.close();
  }
}

interface OpenPackage {
  readonly userId: string;
  readonly handle: FileHandle;
  readonly progress: (line: string) => void;
}

async function bringIn(
  { storage, config, isAlone }: Alone,
  { userId, handle, progress }: OpenPackage,
): Promise<ImportSummary> {
  const { imports, clearAbandonedImports } = openTransfer(storage, config, isAlone);
  // Ids that a killed import holds would force new ids on this one.
  await clearAbandonedImports();
  const pieces = handle.createReadStream({ autoClose: false });
  return imports.bringIn({
    userId,
    actor: null,
    clientIp: null,
    what: 'account',
    pieces: counting(pieces, (bytes) => progress(`${megabytes(bytes)} read`)),
    onThread: (added, all) => progress(`${added} of ${counted(all, 'thread')}`),
  });
}

function sentenceOf(
  { threads, runs, events, files, items, agents, memory, schedules, skills }: ImportSummary,
  email: string,
): string {
  const facts = memory.added.reduce((sum, { count }) => sum + count, 0);
  const ofThreads = { thread: threads.length, run: runs, event: events, file: files };
  const ofAccount = {
    'store item': items,
    agent: agents.added.length,
    'remembered fact': facts,
    schedule: schedules.added.length,
    skill: skills.added.length,
  };
  const sums = [
    ...Object.entries(ofThreads),
    ...Object.entries(ofAccount).filter(([, count]) => count > 0),
  ].map(([noun, count]) => counted(count, noun));
  const renamed = threads.filter(({ sourceId, threadId }) => sourceId !== threadId).length;
  const leftOut = [
    ...skills.leftOut.map(({ name, reason }) => ` Skill ${name} was left out: ${reason}`),
    ...agents.leftOut.map(({ name, reason }) => ` Agent ${name}: ${reason}`),
    ...memory.leftOut.map(({ name, reason }) => ` Memory of ${name}: ${reason}`),
    ...schedules.leftOut.map(({ name, reason }) => ` Schedule ${name}: ${reason}`),
  ];
  const sentence = `Imported for ${email}: ${sums.join(', ')}.${leftOut.join('')}`;
  return renamed === 0
    ? sentence
    : `${sentence} Given new ids, because their own are taken: ${counted(renamed, 'thread')}.`;
}

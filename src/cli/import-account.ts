// `import`: imports a package into an account. With SQLite, only while no service runs on the data home.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { ImportSummary } from '../transfer/import-service.ts';
import { type CommandContext, counted, createProgress, type ExitCode, megabytes } from './command.ts';
import { fileFailure } from './command-files.ts';
import { openTransfer } from './open-transfer.ts';
import { accountOf, withStorageAlone } from './with-storage.ts';

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
  return withStorageAlone(context, WHEN_TAKEN, ({ isAlone, storage, config }) =>
    importInto({ context, storage, config, exclusive: isAlone }, options),
  );
}

interface Work {
  readonly context: CommandContext;
  readonly storage: Storage;
  readonly config: Config;
  readonly exclusive: boolean;
}

async function importInto(work: Work, { email, file }: ImportOptions): Promise<ExitCode> {
  const { context, storage } = work;
  const user = await accountOf(storage, email);
  const path = resolve(context.cwd, file);
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, 'r');
    const summary = await bringIn(work, handle, user.id);
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

async function bringIn(work: Work, handle: FileHandle, userId: string): Promise<ImportSummary> {
  const { context, storage, config, exclusive } = work;
  const { imports, clearAbandonedImports } = openTransfer(storage, config, exclusive);
  const progress = createProgress(context);
  // Ids that a killed import holds would force new ids on this one.
  await clearAbandonedImports();
  async function* pieces(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    for await (const piece of handle.createReadStream({ autoClose: false })) {
      bytes += piece.length;
      progress(`${megabytes(bytes)} read`);
      yield piece;
    }
  }
  return imports.bringIn({
    userId,
    actor: null,
    clientIp: null,
    what: 'account',
    pieces: pieces(),
    onThread: (added, all) => progress(`${added} of ${counted(all, 'thread')}`),
  });
}

function sentenceOf(
  { threads, runs, events, files, items, agents, memory, schedules, skills }: ImportSummary,
  email: string,
): string {
  const facts = memory.added.reduce((sum, { count }) => sum + count, 0);
  const sums = [
    counted(threads.length, 'thread'),
    counted(runs, 'run'),
    counted(events, 'event'),
    counted(files, 'file'),
    ...(items === 0 ? [] : [counted(items, 'store item')]),
    ...(agents.added.length === 0 ? [] : [counted(agents.added.length, 'agent')]),
    ...(facts === 0 ? [] : [counted(facts, 'remembered fact')]),
    ...(schedules.added.length === 0 ? [] : [counted(schedules.added.length, 'schedule')]),
    ...(skills.added.length === 0 ? [] : [counted(skills.added.length, 'skill')]),
  ];
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

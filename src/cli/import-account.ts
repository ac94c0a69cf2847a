// `import`: brings a package into an account; with SQLite only while no service runs on the data home.
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import type { Storage } from '../storage/storage.ts';
import type { ImportSummary } from '../transfer/import-service.ts';
import { type DataHomeLock, DataHomeLockedError, lockDataHome } from '../workspace/data-home-lock.ts';
import { type CommandContext, counted, createProgress, megabytes } from './command.ts';
import { fileFailure } from './command-files.ts';
import { openTransfer } from './open-transfer.ts';
import { withStorage } from './with-storage.ts';

export interface ImportOptions {
  readonly email: string;
  /** The package, relative to the working directory. */
  readonly file: string;
}

/** 0 everything is there; 1 nothing is, and a line says why; 2 a service works on the data home. */
export type ImportExitCode = 0 | 1 | 2;

/** All of the package or nothing. What a kill leaves is seen by nobody, and goes at the next import or start. */
export async function importAccount(
  context: CommandContext,
  options: ImportOptions,
): Promise<ImportExitCode> {
  const loaded = loadConfig(context.environment, context.cwd);
  const isEmbedded = loaded.ok && loaded.config.database.url.startsWith('sqlite:');
  let lock: DataHomeLock | undefined;
  try {
    lock = isEmbedded ? lockDataHome(loaded.config.dataHome) : undefined;
    return await withStorage(context, (storage, config) =>
      importInto({ context, storage, config, exclusive: isEmbedded }, options),
    );
  } catch (error) {
    if (!(error instanceof DataHomeLockedError)) throw error;
    const holder = error.pid === undefined ? 'Another process' : `Process ${error.pid}`;
    context.print(`${holder} works on the data home. Importing needs it alone: stop the service first,`);
    context.print('or import in the web app or with POST /api/account/import while it runs.');
    return 2;
  } finally {
    lock?.release();
  }
}

interface Work {
  readonly context: CommandContext;
  readonly storage: Storage;
  readonly config: Config;
  readonly exclusive: boolean;
}

async function importInto(work: Work, { email, file }: ImportOptions): Promise<0 | 1> {
  const { context, storage } = work;
  const user = await storage.users.findByEmail(email);
  if (user === undefined) {
    context.print(`No account has the e-mail ${email}.`);
    return 1;
  }
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
  // What an import that was killed has taken would give this one other ids.
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
    : `${sentence} New ids, because theirs are taken: ${counted(renamed, 'thread')}.`;
}

// Runs commands on the configured storage.
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import { createLog } from '../log.ts';
import { SchemaTooNewError } from '../storage/sql/migrations/migrate.ts';
import { openStorage } from '../storage/sql/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { UserRecord } from '../storage/users.ts';
import { type DataHomeLock, DataHomeLockedError, lockDataHome } from '../workspace/data-home-lock.ts';
import { type CommandContext, configFor, type ExitCode } from './command.ts';

/**
 * Runs a command and closes the storage afterwards. Prints the reason when the configuration is wrong, the
 * database is unavailable, or the command throws a `ServiceError`: its message, as changed by `refusal`.
 */
export async function withStorage(
  context: CommandContext,
  command: (storage: Storage, config: Config) => Promise<ExitCode>,
  refusal = (message: string) => message,
): Promise<ExitCode> {
  const config = configFor(context);
  if (config === undefined) return 1;
  try {
    const log = createLog({ level: 'silent', format: 'json' });
    const storage = await openStorage({ ...config.database, log });
    try {
      return await command(storage, config);
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof SchemaTooNewError)) throw error;
    context.print(refusal(error.message));
    return 1;
  }
}

/** Returns the account with this e-mail. Throws `user_not_found` with a sentence for the operator. */
export async function accountOf({ users }: Storage, email: string): Promise<UserRecord> {
  const user = await users.findByEmail(email);
  if (user === undefined) throw new ServiceError('user_not_found', `No account has the e-mail ${email}.`);
  return user;
}

export interface Alone {
  /** True when the database is embedded and no other process uses it. */
  readonly isAlone: boolean;
  readonly storage: Storage;
  readonly config: Config;
}

/**
 * Like `withStorage`, but locks the data home of an embedded database for the command. Resolves to 2 if
 * another process holds the lock, after printing the process and `whenTaken`, the advice for the operator.
 */
export async function withStorageAlone(
  context: CommandContext,
  whenTaken: string,
  command: (alone: Alone) => Promise<ExitCode>,
): Promise<ExitCode | 2> {
  const config = configFor(context);
  if (config === undefined) return 1;
  const isAlone = config.database.url.startsWith('sqlite:');
  let lock: DataHomeLock | undefined;
  try {
    lock = isAlone ? lockDataHome(config.dataHome) : undefined;
    return await withStorage(context, (storage) => command({ isAlone, storage, config }));
  } catch (error) {
    if (!(error instanceof DataHomeLockedError)) throw error;
    const holder = error.pid === undefined ? 'Another process' : `Process ${error.pid}`;
    context.print(`${holder} works on the data home. ${whenTaken}`);
    return 2;
  } finally {
    lock?.release();
  }
}

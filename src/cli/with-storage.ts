// A command that works on the storage of the configuration.
import { formatProblems } from '../config/config-problem.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import { createLog } from '../log.ts';
import { SchemaTooNewError } from '../storage/sql/migrations/migrate.ts';
import { openStorage } from '../storage/sql/open-storage.ts';
import type { Storage } from '../storage/storage.ts';
import type { CommandContext, ExitCode } from './command.ts';

export type StorageCommand = (storage: Storage, config: Config) => Promise<ExitCode>;

/**
 * Says why when the configuration is wrong, the database is not to be had, or the command throws a `ServiceError`: its
 * message, or what `refusal` makes of it. The storage is closed afterwards.
 */
export async function withStorage(
  { environment, cwd, print }: CommandContext,
  command: StorageCommand,
  refusal = (message: string) => message,
): Promise<ExitCode> {
  const loaded = loadConfig(environment, cwd);
  if (!loaded.ok) {
    print(formatProblems(loaded.problems));
    return 1;
  }
  try {
    const { config } = loaded;
    const log = createLog({ level: 'silent', format: 'json' });
    const storage = await openStorage({ ...config.database, log });
    try {
      return await command(storage, config);
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof SchemaTooNewError)) throw error;
    print(refusal(error.message));
    return 1;
  }
}

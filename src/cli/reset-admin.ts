// `reset-admin`: a new generated password for an account, written to the credentials file.
import { resetAdmin } from '../auth/reset-admin.ts';
import { formatProblems } from '../config/config-problem.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { ServiceError } from '../errors.ts';
import { createLog } from '../log.ts';
import { SchemaTooNewError } from '../storage/sql/migrations/migrate.ts';
import { openStorage } from '../storage/sql/open-storage.ts';
import type { CommandContext, ExitCode } from './command.ts';

/** Without an e-mail it is the first administrator. Works while the service is running, too. */
export async function resetAdminCommand(
  { environment, cwd, print }: CommandContext,
  email: string | undefined,
): Promise<ExitCode> {
  const loaded = loadConfig(environment, cwd);
  if (!loaded.ok) {
    print(formatProblems(loaded.problems));
    return 1;
  }
  try {
    const reset = await resetIn(loaded.config, email);
    print(`Gave ${reset.email} a new password and ended its sessions. The credentials are in ${reset.path}`);
    return 0;
  } catch (error) {
    if (!(error instanceof ServiceError) && !(error instanceof SchemaTooNewError)) throw error;
    print(`Nothing was changed: ${error.message}`);
    return 1;
  }
}

async function resetIn(config: Config, email: string | undefined) {
  const log = createLog({ level: 'silent', format: 'json' });
  const storage = await openStorage({ ...config.database, log });
  try {
    return await resetAdmin({ users: storage.users, dataHome: config.dataHome, email });
  } finally {
    await storage.close();
  }
}

// The command line: serve, doctor, config check, reset-admin, delete-account, export, import, audit, verify.
import { Command } from 'commander';
import { deleteAccountCommand, resetAdminCommand } from './cli/account-commands.ts';
import { type AuditListOptions, auditList, auditVerify } from './cli/audit.ts';
import type { CommandContext } from './cli/command.ts';
import { configCheck } from './cli/config-check.ts';
import { doctor } from './cli/doctor.ts';
import { exportAccount } from './cli/export-account.ts';
import { importAccount } from './cli/import-account.ts';
import { serve } from './cli/serve.ts';
import { verify } from './cli/verify.ts';
import { processEnvironment } from './config/load.ts';
import { RELEASE } from './http/api/release.ts';

const context: CommandContext = {
  environment: processEnvironment(),
  cwd: process.cwd(),
  print: (line) => process.stdout.write(`${line}\n`),
  progress: (line) => process.stderr.write(`${line}\n`),
};

/** Sets the exit code instead of exiting, so that what is still to be written is written. */
async function run(command: () => Promise<number> | number): Promise<void> {
  process.exitCode = await command();
}

const program = new Command('agent-service').description('A multi-user agent service.').version(RELEASE);
program
  .command('serve', { isDefault: true })
  .description('start the service')
  // Exits even when something is still at work: a second signal stops at once.
  .action(async () => process.exit(await serve(context)));
program
  .command('doctor')
  .description('explain everything that is wrong with the set-up, and how to mend it')
  .action(() => run(() => doctor(context)));
program
  .command('config')
  .description('about the configuration')
  .command('check')
  .description('read the configuration and report every problem')
  .action(() => run(() => configCheck(context)));
program
  .command('reset-admin')
  .description('give an administrator a new password, written to a file in the data home')
  .option('--email <email>', 'the account; without it the first administrator')
  .action((options: { email?: string }) => run(() => resetAdminCommand(context, options.email)));
program
  .command('delete-account')
  .description('delete an account with everything that it has')
  .requiredOption('--email <email>', 'the account')
  .action((options: { email: string }) => run(() => deleteAccountCommand(context, options.email)));
program
  .command('export')
  .description('write all threads and files of an account to a package')
  .requiredOption('--email <email>', 'the account')
  .requiredOption('--to <file>', 'the new zip')
  .action((options: { email: string; to: string }) => run(() => exportAccount(context, options)));
program
  .command('import')
  .description('bring a package into an account; with SQLite the service must be stopped')
  .requiredOption('--email <email>', 'the account')
  .argument('<file>', 'the zip')
  .action((file: string, { email }: { email: string }) => run(() => importAccount(context, { email, file })));
const audit = program.command('audit').description('about the log of security-relevant acts');
audit
  .command('verify')
  .description('check that no row was changed or removed')
  .option('--anchor <number:hash>', 'what must be in it, from a line "the audit log ends here" of the log')
  .action((options: { anchor?: string }) => run(() => auditVerify(context, options.anchor)));
audit
  .command('list')
  .description('show the acts, newest first')
  .option('--since <time>', 'only from then on, such as 2026-11-20')
  .option('--user <user>', 'only those of this account, by id or e-mail')
  .action((options: AuditListOptions) => run(() => auditList(context, options)));
program
  .command('verify')
  .description('compare statuses, titles, totals and indexes with the record')
  .option('--repair', 'make them agree with the record')
  .action((options: { repair?: boolean }) => run(() => verify(context, options)));

await program.parseAsync();

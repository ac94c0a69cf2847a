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

/** Sets the exit code instead of exiting, so that pending output is still written. */
async function run(command: () => Promise<number> | number): Promise<void> {
  process.exitCode = await command();
}

const program = new Command('agent-service').description('A multi-user agent service.').version(RELEASE);
program
  .command('serve', { isDefault: true })
  .description('start the service')
  // Exits even while work is in progress: a second signal stops the service immediately.
  .action(async () => process.exit(await serve(context)));
program
  .command('doctor')
  .description('explain everything that is wrong with the setup and how to fix it')
  .action(() => run(() => doctor(context)));
program
  .command('config')
  .description('about the configuration')
  .command('check')
  .description('read the configuration and report every problem')
  .action(() => run(() => configCheck(context)));
program
  .command('reset-admin')
  .description('give an administrator a new password and write it to a file in the data home')
  .option('--email <email>', 'the account (default: the first administrator)')
  .action((options: { email?: string }) => run(() => resetAdminCommand(context, options.email)));
program
  .command('delete-account')
  .description('delete an account and everything it owns')
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
const audit = program.command('audit').description('inspect the log of security-relevant actions');
audit
  .command('verify')
  .description('check that no row was changed or removed')
  .option(
    '--anchor <number:hash>',
    'an anchor that must be in it, from a line "the audit log ends here" of the service log',
  )
  .action((options: { anchor?: string }) => run(() => auditVerify(context, options.anchor)));
audit
  .command('list')
  .description('show the actions, newest first')
  .option('--since <time>', 'only actions since this time, such as 2026-11-20')
  .option('--user <user>', 'only actions of this account, by id or e-mail')
  .action((options: AuditListOptions) => run(() => auditList(context, options)));
program
  .command('verify')
  .description('compare statuses, titles, totals and indexes with the record')
  .option('--repair', 'make them agree with the record')
  .action((options: { repair?: boolean }) => run(() => verify(context, options)));

await program.parseAsync();

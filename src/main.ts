// The command line: serve, doctor, config check, reset-admin.
import { Command } from 'commander';
import type { CommandContext } from './cli/command.ts';
import { configCheck } from './cli/config-check.ts';
import { doctor } from './cli/doctor.ts';
import { resetAdminCommand } from './cli/reset-admin.ts';
import { serve } from './cli/serve.ts';
import { processEnvironment } from './config/load.ts';

const context: CommandContext = {
  environment: processEnvironment(),
  cwd: process.cwd(),
  print: (line) => process.stdout.write(`${line}\n`),
};

/** Sets the exit code instead of exiting, so that what is still to be written is written. */
async function run(command: () => Promise<number> | number): Promise<void> {
  process.exitCode = await command();
}

const program = new Command('agent-service').description('A multi-user agent service.');
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

await program.parseAsync();

// `config check`: reports that the configuration is valid, or all of its problems.
import { type CommandContext, configFor, type ExitCode } from './command.ts';

export function configCheck(context: CommandContext): ExitCode {
  const config = configFor(context);
  if (config === undefined) return 1;
  const { print } = context;
  const { server, dataHome, models } = config;
  const modelNames = models?.map((model) => model.name).join(', ') ?? 'found at start';
  print('The configuration is valid.');
  print(`  address    http://${server.host}:${server.port}`);
  print(`  data home  ${dataHome}`);
  print(`  models     ${modelNames}`);
  return 0;
}

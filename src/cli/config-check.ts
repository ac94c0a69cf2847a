// `config check`: reports that the configuration is valid, or all of its problems.
import { formatProblems } from '../config/config-problem.ts';
import { loadConfig } from '../config/load.ts';
import type { CommandContext, ExitCode } from './command.ts';

export function configCheck({ environment, cwd, print }: CommandContext): ExitCode {
  const loaded = loadConfig(environment, cwd);
  if (!loaded.ok) {
    print(formatProblems(loaded.problems));
    return 1;
  }
  const { server, dataHome, models } = loaded.config;
  const modelNames = models?.map((model) => model.name).join(', ') ?? 'found at start';
  print('The configuration is valid.');
  print(`  address    http://${server.host}:${server.port}`);
  print(`  data home  ${dataHome}`);
  print(`  models     ${modelNames}`);
  return 0;
}

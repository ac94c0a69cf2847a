// `doctor`: checks the configuration and the machine, and explains each problem with its fix.
import { formatProblems } from '../config/config-problem.ts';
import { loadConfig } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { createConfinement } from '../processes/confinement.ts';
import { conversionMeans } from '../workspace/convert/choose-converter.ts';
import { checkConversion } from './checks/conversion.ts';
import { checkCredentials } from './checks/credentials.ts';
import { checkDataHome } from './checks/data-home.ts';
import { checkDatabase } from './checks/database.ts';
import { checkNode, checkWebApp } from './checks/installation.ts';
import { checkBudgets, checkModels } from './checks/models.ts';
import { checkPort } from './checks/port.ts';
import { checkSandbox } from './checks/sandbox.ts';
import type { CommandContext, ExitCode } from './command.ts';
import { type Finding, formatFinding } from './finding.ts';

export interface DoctorContext extends CommandContext {
  /** `process.versions.node` by default; tests may override it. */
  readonly nodeVersion?: string;
  /** Folder in which to check for the built web app. */
  readonly webRoot?: string;
  readonly fetch?: typeof globalThis.fetch;
}

/** Runs all checks without changing anything. Returns 1 when something keeps the service from working. */
export async function doctor(context: DoctorContext): Promise<ExitCode> {
  const { print } = context;
  const findings: Finding[] = [checkNode(context.nodeVersion ?? process.versions.node)];
  const loaded = loadConfig(context.environment, context.cwd);
  if (loaded.ok) findings.push(...(await checkMachine(loaded.config, context)));
  for (const finding of findings) print(formatFinding(finding));
  if (!loaded.ok) {
    print('');
    print(formatProblems(loaded.problems));
  }
  const problems =
    findings.filter(({ verdict }) => verdict === 'problem').length + (loaded.ok ? 0 : loaded.problems.length);
  print('');
  print(problems === 0 ? 'The service can start.' : `${problems} to fix before the service can run.`);
  return problems === 0 ? 0 : 1;
}

async function checkMachine(config: Config, context: DoctorContext): Promise<readonly Finding[]> {
  const configuration: Finding = { verdict: 'ok', subject: 'config', message: 'The configuration is valid.' };
  const confinement = createConfinement({ path: config.sandbox.path, hidden: [] });
  const dataHome = await checkDataHome(config.dataHome);
  const [port, database, models, ...rest] = await Promise.all([
    checkPort(config.server, dataHome.holder),
    checkDatabase(config.database),
    checkModels(config.models, context),
    checkCredentials(config.dataHome),
    checkSandbox(config.sandbox, confinement),
    checkConversion(config.uploads.conversion, () => conversionMeans(confinement)),
    checkWebApp(context.webRoot),
  ]);
  const budgets = checkBudgets(config.budgets, config.models);
  return [configuration, dataHome.finding, port, database, ...models, ...budgets, ...rest.flat()];
}

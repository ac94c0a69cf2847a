// `npm run test:clients [-- --only langgraph-sdk,ag-ui]`: clients that nobody here wrote, installed from npm in the
// versions of their folders' `package.json`, each in a process of its own against a service on a real port. The table says
// what each of them saw; exit code 1 when a case failed.
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { makeKey } from '../support/api-key.ts';
import { openServedService } from '../websocket/served.ts';
import { scriptedAnswer } from './scripted-answer.ts';

const CLIENTS = [
  'langgraph-sdk',
  'react',
  'remote-graph',
  'assistant-ui',
  'ag-ui',
  'ai-sdk',
  'nextjs-passthrough',
];
/** Of all cases of one client together. */
const CLIENT_MS = 120_000;

const reportSchema = z.object({
  client: z.string(),
  version: z.string(),
  case: z.string(),
  result: z.enum(['ok', 'failed']),
  detail: z.string(),
});
type Report = z.infer<typeof reportSchema>;

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const wanted = values.only?.split(',') ?? CLIENTS;
for (const name of wanted) install(name);

const service = await openServedService({ config: { agent: { approvals: { write_file: 'always' } } } });
service.model.onRequest(scriptedAnswer);
const person = await service.user('clients');
const { key } = await makeKey(person);

const reports: Report[] = [];
for (const name of wanted) {
  console.error(`${name} ...`);
  reports.push(...(await drive(name)));
}
await service.close();
console.log(tableOf(reports));
process.exitCode = reports.every(({ result }) => result === 'ok') ? 0 : 1;

function install(name: string): void {
  const cwd = fileURLToPath(new URL(name, import.meta.url));
  if (!existsSync(`${cwd}/package.json`))
    throw new Error(`There is no client ${name}: ${CLIENTS.join(', ')}`);
  if (existsSync(`${cwd}/node_modules`)) return;
  console.error(`Installing ${name} ...`);
  const options = ['install', '--no-audit', '--no-fund', '--no-package-lock', '--workspaces=false'];
  const { status } = spawnSync('npm', options, { cwd, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${name} could not be installed.`);
}

/** All cases of one client. A process that ends too early, or not at all, is one more that failed. */
async function drive(name: string): Promise<Report[]> {
  const seen: Report[] = [];
  const child = fork(fileURLToPath(new URL('drive.mjs', import.meta.url)), [name], {
    env: { ...process.env, API_URL: `${service.server.url}/api/graph`, API_KEY: key },
  });
  child.on('message', (message) => void seen.push(reportSchema.parse(message)));
  const timer = setTimeout(() => child.kill('SIGKILL'), CLIENT_MS);
  await once(child, 'exit');
  clearTimeout(timer);
  if (child.exitCode === 0) return seen;
  const detail = `the process ended with ${child.exitCode ?? child.signalCode}`;
  return [...seen, { client: name, version: versionOf(name), case: 'process', result: 'failed', detail }];
}

function versionOf(name: string): string {
  const text = readFileSync(new URL(`${name}/package.json`, import.meta.url), 'utf8');
  return Object.values(
    z.object({ dependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(text)).dependencies,
  ).join(' ');
}

function tableOf(rows: readonly Report[]): string {
  const cells = rows.map((row) => [
    row.client,
    row.version,
    row.case,
    row.result,
    row.detail.replaceAll('|', '\\|'),
  ]);
  const lines = [['client', 'version', 'case', 'result', 'seen'], ['-', '-', '-', '-', '-'], ...cells];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

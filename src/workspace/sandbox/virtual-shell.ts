// A process of the virtual shell: it loads the shell, waits for its one command, runs it, and exits as the script does.
import { readFileSync, writeSync } from 'node:fs';
import { Bash } from 'just-bash';
import type { OutputStream } from '../../processes/outcome.ts';
import { canReport, reportingScript } from './reporting-script.ts';
import { ShellFiles } from './shell-files.ts';
import { DESCRIPTORS, type ShellOrder } from './shell-order.ts';

/** It is killed at its time by who wanted it, before the shell would say something of its own. */
const GRACE_MS = 5_000;
const CHECK_MS = 500;

/** A pipe that is full holds the script up. */
function report(stream: OutputStream, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(DESCRIPTORS[stream], bytes, at);
}

async function run(order: ShellOrder): Promise<number> {
  endWithService();
  const shell = new Bash({
    fs: new ShellFiles(order, report),
    cwd: order.folder,
    env: { HOME: order.folder, USER: 'agent', LANG: 'C.UTF-8', TMPDIR: '/tmp' },
    executionLimits: {
      // Files that it writes count as well; whoever hears what is said counts that.
      maxOutputSize: order.outputBytes + order.fileBytes,
      maxExecutionTimeMs: order.timeoutMs + GRACE_MS,
    },
  });
  if (canReport(order.script)) reportOnce(shell);
  const { stdout, stderr, exitCode } = await shell.exec(order.script);
  report('stdout', Buffer.from(stdout));
  report('stderr', Buffer.from(stderr));
  return exitCode;
}

/** Nobody is left to kill it when the service has been killed. */
function endWithService(): void {
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && process.exit(1), CHECK_MS).unref();
}

/** The script alone: scripts inside of it, whose output others may read, come here as well. */
function reportOnce(shell: Bash): void {
  let isScript = true;
  shell.registerTransformPlugin({
    name: 'telling',
    transform({ ast }) {
      const reporting = isScript ? reportingScript(ast) : ast;
      isScript = false;
      return { ast: reporting };
    },
  });
}

/** What failed is ours, and no concern of a model. */
function brokenOff(): number {
  report('stderr', Buffer.from('The shell broke off; try a simpler command.\n'));
  return 1;
}

const order = readFileSync(DESCRIPTORS.order, 'utf8');
// Empty: nobody needed it.
if (order !== '') process.exit(await run(JSON.parse(order)).catch(brokenOff));

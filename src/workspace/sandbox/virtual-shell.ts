// A process of the virtual shell: loads the shell, waits for its one command, and exits as the script does.
import { readFileSync, writeSync } from 'node:fs';
import { Bash } from 'just-bash';
import type { OutputStream } from '../../processes/outcome.ts';
import { canReport, reportingScript } from './reporting-script.ts';
import { ShellFiles } from './shell-files.ts';
import { DESCRIPTORS, type ShellOrder } from './shell-order.ts';

/** The service kills it at its time limit, before the shell would report a limit of its own. */
const GRACE_MS = 5_000;
const CHECK_MS = 500;

/** A full pipe holds the script up. */
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
      // Includes the files that it writes. The service counts the output by itself.
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

/** Ends this process when the service was killed, because nothing else would. */
function endWithService(): void {
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && process.exit(1), CHECK_MS).unref();
}

/** Reports only the script itself. Scripts inside it, whose output others may read, pass here as well. */
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

/** The failure is the shell's own, and no concern of a model. */
function brokenOff(): number {
  report('stderr', Buffer.from('The shell failed; try a simpler command.\n'));
  return 1;
}

const order = readFileSync(DESCRIPTORS.order, 'utf8');
// Empty: the process was not needed.
if (order !== '') process.exit(await run(JSON.parse(order)).catch(brokenOff));

// A shell that is a program of the service, not of the system. It works everywhere, needs no rights, and sees
// a thread's folders.
import { limitedNode } from '../../processes/limited-command.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { preparedCommand } from './prepared-command.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SeenFolders } from './seen-folders.ts';
import type { ShellOrder } from './shell-order.ts';
import { createShellsAhead } from './shells-ahead.ts';

const MIB = 1_048_576;
const SHELL_MB = 128;

/**
 * Each command has a process of its own, so that nothing which it leaves behind reaches another command. A
 * thread would do for that, but not for memory: a thread that runs out of it can end the whole service.
 */
export function createVirtualSandbox(parts: SandboxParts): Sandbox {
  const { options } = parts;
  const process = { ...shellCommand(options), saysBeside: true };
  // The order is the one input of each process. A waiting process has none yet.
  const ahead = createShellsAhead({ ...process, inputs: [''] });
  return {
    kind: 'virtual',
    async run(command) {
      // The memory of the shell itself, with its databases, is added to what a command may use.
      const ofShell = { ...options, memory_mb: options.memory_mb + SHELL_MB };
      const { seen, run } = await preparedCommand({ ...parts, options: ofShell }, command);
      const started = ahead.take();
      const inputs = [JSON.stringify(orderOf(command.script, seen, options))];
      const outcome = await run({ ...process, inputs, ...(started === undefined ? {} : { started }) });
      ahead.start();
      return named(outcome);
    },
  };
}

function orderOf(
  script: string,
  seen: SeenFolders,
  { output_mb, file_mb, memory_mb, timeout_seconds }: SandboxOptions,
): ShellOrder {
  return {
    ...seen,
    folder: `${VIRTUAL_ROOT}/workspace`,
    script,
    outputBytes: output_mb * MIB,
    fileBytes: file_mb * MIB,
    looseBytes: (memory_mb / 2) * MIB,
    timeoutMs: Math.ceil(timeout_seconds * 1_000),
  };
}

/** The signals with which Node and the system end a process that runs out of memory. */
const WITHOUT_MEMORY = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 'SIGKILL']);

function named(outcome: ProcessOutcome): ProcessOutcome {
  if (outcome.kind !== 'signalled' || !WITHOUT_MEMORY.has(outcome.signal)) return outcome;
  return { kind: 'stopped', cause: 'memory' };
}

const PROGRAM = new URL('./virtual-shell.ts', import.meta.url);
const OPEN_FILES = 256;

/**
 * Node limits its heap, and the watching service the rest of its memory: V8 reserves more than any limit of
 * the system could allow. Node's permissions are no alternative, because they prevent copying a file with its
 * mode.
 */
function shellCommand({ cpu_seconds, memory_mb, file_mb }: SandboxOptions) {
  const limits = { openFiles: OPEN_FILES, cpuSeconds: cpu_seconds, fileBytes: file_mb * MIB };
  return limitedNode(PROGRAM, memory_mb, limits);
}

// A shell that is a program of ours and not of the system: it works everywhere, needs no rights, and sees a thread's folders.
import { Worker } from 'node:worker_threads';
import { areaFolders } from './area-folders.ts';
import { type DiskWatch, diskWatch } from './disk-watch.ts';
import type { CommandOutcome, Sandbox, SandboxCommand, SandboxParts, StopCause } from './sandbox.ts';
import { type ShellOrder, type ShellReport, shellReportSchema } from './shell-order.ts';

const MIB = 1_048_576;
const WATCH_MS = 250;

export function createVirtualSandbox(parts: SandboxParts): Sandbox {
  const { dataHome, options } = parts;
  return {
    kind: 'virtual',
    async run(command) {
      const areas = await areaFolders(dataHome, command.place);
      const order: ShellOrder = {
        areas: areas.map(({ virtual, real }) => ({ virtual, real })),
        script: command.script,
        outputBytes: options.output_mb * MIB,
        fileBytes: options.file_mb * MIB,
        timeoutMs: Math.ceil(options.timeout_seconds * 1_000),
      };
      return runThread(order, {
        command,
        memoryMb: options.memory_mb,
        watchDisk: diskWatch(parts, command.place),
      });
    },
  };
}

interface ThreadParts {
  readonly command: SandboxCommand;
  readonly memoryMb: number;
  readonly watchDisk: DiskWatch;
}

/** A thread of its own, because a loop in a script must neither hold the service up nor outlive its command. */
async function runThread(
  order: ShellOrder,
  { command, memoryMb, watchDisk }: ThreadParts,
): Promise<CommandOutcome> {
  const thread = new Worker(new URL('./virtual-shell-thread.ts', import.meta.url), {
    workerData: order,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    stdin: false,
  });
  const ended = Promise.withResolvers<CommandOutcome>();
  const stop = (cause: StopCause): void => ended.resolve({ kind: 'stopped', cause });
  const cancel = (): void => stop('cancelled');
  const timer = setTimeout(() => stop('timeout'), order.timeoutMs);
  const watch = setInterval(() => {
    watchDisk().then(
      (cause) => cause !== undefined && stop(cause),
      () => {},
    );
  }, WATCH_MS);
  thread.once('message', (report: unknown) => ended.resolve(told(shellReportSchema.parse(report), command)));
  thread.once('error', (error: Error & { readonly code?: string }) =>
    error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? stop('memory') : ended.resolve(BROKEN),
  );
  command.signal.addEventListener('abort', cancel, { once: true });
  if (command.signal.aborted) cancel();
  try {
    return await ended.promise;
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
    command.signal.removeEventListener('abort', cancel);
    await thread.terminate();
  }
}

function told({ stdout, stderr, exitCode }: ShellReport, { onOutput }: SandboxCommand): CommandOutcome {
  if (stdout !== '') onOutput('stdout', stdout);
  if (stderr !== '') onOutput('stderr', stderr);
  return { kind: 'exited', code: exitCode };
}

const BROKEN: CommandOutcome = { kind: 'failed', message: 'The shell broke off; try a simpler command.' };

// What every sandbox does around the process of a command: its limits, the folders that it sees, its output.
import type { SystemLimits } from '../../processes/limited-command.ts';
import type { ProcessOutcome } from '../../processes/outcome.ts';
import { type ProcessLimits, type ProcessToRun, runProcess } from '../../processes/run-process.ts';
import { diskWatch } from './disk-watch.ts';
import { reportOutput } from './report-output.ts';
import type { SandboxCommand, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { type SeenFolders, seenFolders } from './seen-folders.ts';

const MIB = 1_048_576;
const OPEN_FILES = 1_024;

interface PreparedCommand {
  readonly seen: SeenFolders;
  /** Runs the process that executes the command, within the limits. */
  run(process: ProcessToRun): Promise<ProcessOutcome>;
}

/** `watched`: its processes and their memory are counted here, because no engine does. */
export async function preparedCommand(
  parts: SandboxParts,
  { place, signal, onOutput }: SandboxCommand,
  tree: 'watched' | 'left to the engine' = 'watched',
): Promise<PreparedCommand> {
  const { timeout_seconds, output_mb, processes, memory_mb } = parts.options;
  const limits: ProcessLimits = {
    timeoutMs: timeout_seconds * 1_000,
    outputBytes: output_mb * MIB,
    watchDisk: await diskWatch(parts, place),
    ...(tree === 'watched' ? { tree: { processes, memoryBytes: memory_mb * MIB } } : {}),
  };
  const seen = await seenFolders(parts, place);
  const output = reportOutput(seen, onOutput);
  return { seen, run: (process) => runProcess(process, limits, { signal, output }) };
}

/** The limits that the system enforces for each process. */
export function systemLimits(options: SandboxOptions): SystemLimits {
  const { cpu_seconds, file_mb, memory_mb, processes } = options;
  return {
    openFiles: OPEN_FILES,
    cpuSeconds: cpu_seconds,
    fileBytes: file_mb * MIB,
    dataBytes: memory_mb * MIB,
    processes,
  };
}

// The configured limits of one command: those that are watched, and those that the system enforces.
import type { SystemLimits } from '../../processes/limited-command.ts';
import type { ProcessLimits } from '../../processes/run-process.ts';
import type { SandboxOptions } from './sandbox-options.ts';

const MIB = 1_048_576;
const OPEN_FILES = 1_024;

/** `watched`: its processes and their memory are counted here, because no engine does. */
export function processLimits(
  options: SandboxOptions,
  watchDisk: ProcessLimits['watchDisk'],
  tree: 'watched' | 'left to the engine',
): ProcessLimits {
  const limits = {
    timeoutMs: options.timeout_seconds * 1_000,
    outputBytes: options.output_mb * MIB,
    watchDisk,
  };
  if (tree === 'left to the engine') return limits;
  return { ...limits, tree: { processes: options.processes, memoryBytes: options.memory_mb * MIB } };
}

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

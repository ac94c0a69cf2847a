// The limits of one command, as configured.
import type { DiskWatch } from './disk-watch.ts';
import type { ProcessLimits } from './run-process.ts';
import type { SandboxOptions } from './sandbox-options.ts';

const MIB = 1_048_576;

/** `watched`: its processes and their memory are counted here, because no engine does. */
export function processLimits(
  options: SandboxOptions,
  watchDisk: DiskWatch,
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

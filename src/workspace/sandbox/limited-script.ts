// A script for bash with the limits of the system around each of its processes.
import type { SandboxOptions } from './sandbox-options.ts';

const OPEN_FILES = 1_024;

interface SystemLimits extends Pick<SandboxOptions, 'cpu_seconds' | 'memory_mb' | 'file_mb'> {
  /** `undefined`: somebody else counts them. */
  readonly processes: number | undefined;
}

/** Arguments of bash: the limits are set first and cannot be raised by the script, which runs as if it were alone. */
export function limitedScript(script: string, limits: SystemLimits): readonly string[] {
  const ulimits = [
    `ulimit -c 0`,
    `ulimit -n ${OPEN_FILES}`,
    `ulimit -t ${limits.cpu_seconds}`,
    `ulimit -f ${limits.file_mb * 1_024}`,
    `ulimit -d ${limits.memory_mb * 1_024}`,
    ...(limits.processes === undefined ? [] : [`ulimit -u ${limits.processes}`]),
  ].join('; ');
  return ['--noprofile', '--norc', '-c', `${ulimits}; exec bash --noprofile --norc -c "$1"`, 'bash', script];
}

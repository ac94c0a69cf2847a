// A command with the limits of the system around it and around everything that it starts.

/** Of each process. Absent limits are enforced elsewhere. */
export interface SystemLimits {
  readonly openFiles: number;
  readonly cpuSeconds: number;
  readonly fileBytes?: number;
  /** The heap and everything else that a process may write to; what V8 only sets aside counts as well. */
  readonly dataBytes?: number;
  /** Of the user, who may have others: only where the user is of the command alone. */
  readonly processes?: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * The limits are set first and cannot be raised by the command. `bash` can limit the number of processes, `sh` is on every
 * system. Windows has neither: there the command stays as it is.
 */
export function limitedCommand(
  shell: 'bash' | 'sh',
  limits: SystemLimits,
  [program, ...args]: readonly [string, ...string[]],
): Command {
  if (process.platform === 'win32') return { program, args };
  const preamble = ulimits(shell, limits).map((limit) => `ulimit ${limit}; `);
  const script = `${preamble.join('')}exec "$@"`;
  const own = shell === 'bash' ? ['--noprofile', '--norc'] : [];
  return { program: `/bin/${shell}`, args: [...own, '-c', script, shell, program, ...args] };
}

/** A script for bash, as if it were alone, with the limits around it. */
export function limitedScript(script: string, limits: SystemLimits): Command {
  return limitedCommand('bash', limits, ['bash', '--noprofile', '--norc', '-c', script]);
}

function ulimits(shell: 'bash' | 'sh', limits: SystemLimits): readonly string[] {
  const { openFiles, cpuSeconds, fileBytes, dataBytes, processes } = limits;
  return [
    '-c 0',
    `-n ${openFiles}`,
    `-t ${cpuSeconds}`,
    // POSIX counts in blocks of half a KiB, bash in whole ones.
    ...(fileBytes === undefined ? [] : [`-f ${Math.ceil(fileBytes / (shell === 'bash' ? 1_024 : 512))}`]),
    ...(dataBytes === undefined ? [] : [`-d ${Math.ceil(dataBytes / 1_024)}`]),
    ...(processes === undefined ? [] : [`-u ${processes}`]),
  ];
}

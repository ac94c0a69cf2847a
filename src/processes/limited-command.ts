// A command with system limits on it and on everything that it starts.
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Limits of each process. Absent limits are enforced elsewhere. */
export interface SystemLimits {
  readonly openFiles: number;
  readonly cpuSeconds: number;
  readonly fileBytes?: number;
  /** The heap and all other writable memory of a process, including what V8 only reserves. */
  readonly dataBytes?: number;
  /** Counts all processes of the user. For use only where the user runs nothing but the command. */
  readonly processes?: number;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Sets the limits before the command starts, so the command cannot raise them. `bash` can limit the number of
 * processes; `sh` exists on every system. Windows has neither, so the command stays as it is there.
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

/** Returns a command that runs a script in bash, without any profile and within the limits. */
export function limitedScript(script: string, limits: SystemLimits): Command {
  return limitedCommand('bash', limits, ['bash', '--noprofile', '--norc', '-c', script]);
}

/**
 * Returns the command and the environment of a program of the service: a script of Node, within the limits.
 * It shares what the service keeps of compiled code, if it keeps any: it then loads in half the time.
 */
export function limitedNode(
  program: URL,
  heapMb: number,
  limits: SystemLimits,
): Command & { readonly env: Readonly<Record<string, string>> } {
  const node = [`--max-old-space-size=${heapMb}`, '--no-warnings', fileURLToPath(program)];
  const compiled = getCompileCacheDir();
  return {
    ...limitedCommand('sh', limits, [process.execPath, ...node]),
    // Node adds its version to the folder.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
  };
}

function ulimits(shell: 'bash' | 'sh', limits: SystemLimits): readonly string[] {
  const { openFiles, cpuSeconds, fileBytes, dataBytes, processes } = limits;
  return [
    '-c 0',
    `-n ${openFiles}`,
    `-t ${cpuSeconds}`,
    // `sh` counts in blocks of half a KiB, as POSIX does; bash counts in KiB.
    ...(fileBytes === undefined ? [] : [`-f ${Math.ceil(fileBytes / (shell === 'bash' ? 1_024 : 512))}`]),
    ...(dataBytes === undefined ? [] : [`-d ${Math.ceil(dataBytes / 1_024)}`]),
    ...(processes === undefined ? [] : [`-u ${processes}`]),
  ];
}

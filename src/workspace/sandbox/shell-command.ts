// How a process of the virtual shell is started: Node, limited by the system where it can.
import { fileURLToPath } from 'node:url';
import { type Command, limitedCommand } from '../../processes/limited-command.ts';
import type { SandboxOptions } from './sandbox-options.ts';

const PROGRAM = fileURLToPath(new URL('./virtual-shell.ts', import.meta.url));
const MIB = 1_048_576;
const OPEN_FILES = 256;

/**
 * Its heap is limited by Node, and the rest of its memory by whoever watches: V8 sets more aside than any limit of the
 * system could allow. Node's permissions would not do: with them nobody copies a file with its mode.
 */
export function shellCommand({ cpu_seconds, memory_mb, file_mb }: SandboxOptions): Command {
  const limits = { openFiles: OPEN_FILES, cpuSeconds: cpu_seconds, fileBytes: file_mb * MIB };
  const node = [`--max-old-space-size=${memory_mb}`, '--no-warnings', PROGRAM];
  return limitedCommand('sh', limits, [process.execPath, ...node]);
}

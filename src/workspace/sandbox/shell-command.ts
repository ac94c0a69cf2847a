// How a process of the virtual shell is started: Node, limited by the system where it can.
import { fileURLToPath } from 'node:url';
import type { SandboxOptions } from './sandbox-options.ts';

const PROGRAM = fileURLToPath(new URL('./virtual-shell.ts', import.meta.url));
const OPEN_FILES = 256;

/**
 * Its heap is limited by Node, and the rest of its memory by whoever watches: V8 sets more aside than any limit of the
 * system could allow. Node's permissions would not do: with them nobody copies a file with its mode.
 */
export function shellCommand({ cpu_seconds, memory_mb, file_mb }: SandboxOptions): readonly string[] {
  const node = [process.execPath, `--max-old-space-size=${memory_mb}`, '--no-warnings', PROGRAM];
  if (process.platform === 'win32') return node;
  const limits = [
    'ulimit -c 0',
    `ulimit -n ${OPEN_FILES}`,
    `ulimit -t ${cpu_seconds}`,
    // Of half a KiB.
    `ulimit -f ${file_mb * 2_048}`,
  ].join('; ');
  return ['/bin/sh', '-c', `${limits}; exec "$@"`, 'sh', ...node];
}

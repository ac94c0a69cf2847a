// Processes that are started in advance, because loading the shell takes longer than most commands.
import type { ChildProcess } from 'node:child_process';
import { type ProcessToRun, startProcess } from '../../processes/run-process.ts';

const MAX_AHEAD = 2;
const IDLE_MS = 120_000;

export function createShellsAhead(process: ProcessToRun, idleMs = IDLE_MS) {
  const waiting = new Map<ChildProcess, NodeJS.Timeout>();
  const leave = (child: ChildProcess): void => {
    clearTimeout(waiting.get(child));
    waiting.delete(child);
  };
  return {
    /** Returns a waiting, unused process, which now belongs to the caller. `undefined`: none waits. */
    take(): ChildProcess | undefined {
      const [child] = waiting.keys();
      if (child === undefined) return undefined;
      leave(child);
      child.ref();
      return child;
    },
    /** Starts one, unless enough wait. A process that is not taken ends after a while, or with the service. */
    start(): void {
      if (waiting.size >= MAX_AHEAD) return;
      const child = startProcess(process);
      const end = (): void => {
        leave(child);
        child.kill('SIGKILL');
      };
      waiting.set(child, setTimeout(end, idleMs).unref());
      // These listeners stay: a child that cannot be started would end the service if nothing listened.
      child.on('error', () => leave(child)).on('exit', () => leave(child));
      child.unref();
    },
  };
}

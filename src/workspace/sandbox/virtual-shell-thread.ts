// The thread in which one command of the virtual shell runs. It ends with the command, or is ended by `virtual-sandbox.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import { Bash, InMemoryFs, MountableFs, ReadWriteFs } from 'just-bash';
import { VIRTUAL_ROOT } from '../paths.ts';
import { type ShellOrder, type ShellReport, shellOrderSchema } from './shell-order.ts';

async function run({ areas, script, outputBytes, fileBytes, timeoutMs }: ShellOrder): Promise<ShellReport> {
  const mounts = areas.map(({ virtual, real }) => ({
    mountPoint: virtual,
    // Links are neither followed nor made: what a link names outside of the folder stays unseen.
    filesystem: new ReadWriteFs({ root: real, maxFileReadSize: fileBytes, maxCopySize: fileBytes }),
  }));
  const shell = new Bash({
    fs: new MountableFs({ base: new InMemoryFs(), mounts }),
    cwd: `${VIRTUAL_ROOT}/workspace`,
    env: { HOME: `${VIRTUAL_ROOT}/workspace`, USER: 'agent', LANG: 'C.UTF-8' },
    executionLimits: { maxOutputSize: outputBytes, maxExecutionTimeMs: timeoutMs },
  });
  const { stdout, stderr, exitCode } = await shell.exec(script);
  return { stdout, stderr, exitCode };
}

parentPort?.postMessage(await run(shellOrderSchema.parse(workerData)));

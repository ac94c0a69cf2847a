// Commands in a container of Docker, or of another engine with the same command line.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { VIRTUAL_ROOT } from '../paths.ts';
import { type AreaFolder, areaFolders } from './area-folders.ts';
import { diskWatch } from './disk-watch.ts';
import { limitedScript } from './limited-script.ts';
import { processLimits } from './process-limits.ts';
import { NOT_STARTED, runProcess } from './run-process.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { toldOutput } from './told-output.ts';

/** What the command line of an engine exits with when it is the engine that failed. */
const ENGINE_FAILED = 125;

interface ContainerParts extends SandboxParts {
  readonly newId?: () => string;
}

export function createContainerSandbox(parts: ContainerParts): Sandbox {
  const { dataHome, options, newId = randomUUID } = parts;
  const { engine, image } = options.container;
  const env = { PATH: options.path, ...options.container.env };
  return {
    kind: 'container',
    async run(command) {
      const limits = processLimits(options, diskWatch(parts, command.place), 'left to the engine');
      const name = `agent-service-${newId()}`;
      const areas = await areaFolders(dataHome, command.place);
      const process = {
        program: engine,
        args: [
          ...runArguments(name, areas, options),
          image,
          '/bin/bash',
          ...limitedScript(command.script, options),
        ],
        env,
        // The command line only asks the engine, which would let the container go on without it.
        onStop: () => void execFile(engine, ['kill', name], { env }, () => {}),
      };
      const output = toldOutput(areas, command);
      const outcome = await runProcess(process, limits, { signal: command.signal, output });
      return outcome.kind === 'exited' && outcome.code === ENGINE_FAILED ? NOT_STARTED : outcome;
    },
  };
}

function runArguments(
  name: string,
  areas: readonly AreaFolder[],
  options: SandboxOptions,
): readonly string[] {
  const { network, memory_mb, processes } = options;
  const user = `${process.getuid?.() ?? 1_000}:${process.getgid?.() ?? 1_000}`;
  return [
    ...['run', '--rm', '--init', '--name', name, '--hostname', 'sandbox', '--user', user],
    ...['--network', network ? 'bridge' : 'none', '--read-only', '--tmpfs', '/tmp:size=256m,mode=1777'],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', String(processes)],
    ...['--memory', `${memory_mb}m`, '--memory-swap', `${memory_mb}m`],
    ...['--env', `HOME=${VIRTUAL_ROOT}/workspace`, '--env', 'LANG=C.UTF-8', '--env', 'TMPDIR=/tmp'],
    ...areas.flatMap(({ virtual, real }) => ['--volume', `${real}:${virtual}`]),
    ...['--workdir', `${VIRTUAL_ROOT}/workspace`],
  ];
}

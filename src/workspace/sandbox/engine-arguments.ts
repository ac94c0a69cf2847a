// How an engine's command line is asked for one container. Docker and Podman take the same arguments.
import { limitedScript } from '../../processes/limited-command.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import type { AreaFolder } from './area-folders.ts';
import { systemLimits } from './process-limits.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SeenFolders } from './seen-folders.ts';

const TMP_MB = 256;

export interface ContainerToRun {
  readonly name: string;
  readonly seen: SeenFolders;
  readonly script: string;
}

/** The container sees the folders of one thread and its image, may write to nothing else but `/tmp`, and has no privileges. */
export function runArguments(
  { name, seen, script }: ContainerToRun,
  options: SandboxOptions,
): readonly string[] {
  const { network, memory_mb, processes, container } = options;
  // The system counts processes by user, the service's own ones and those of all other containers too.
  const { processes: _, ...limits } = systemLimits(options);
  const { program, args } = limitedScript(script, limits);
  const tmp = `/tmp:size=${Math.min(TMP_MB, memory_mb)}m,mode=1777`;
  const user = container.user ?? `${process.getuid?.() ?? 1_000}:${process.getgid?.() ?? 1_000}`;
  return [
    ...['run', '--rm', '--init', '--name', name, '--hostname', 'sandbox', '--user', user],
    // What it says is told and kept by nobody else, and neither is the progress of fetching an image.
    ...['--log-driver', 'none', '--quiet', '--no-healthcheck'],
    ...['--network', network ? 'bridge' : 'none', '--read-only', '--tmpfs', tmp],
    ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--pids-limit', String(processes)],
    ...['--memory', `${memory_mb}m`, '--memory-swap', `${memory_mb}m`],
    ...['--env', `HOME=${VIRTUAL_ROOT}/workspace`, '--env', 'LANG=C.UTF-8', '--env', 'TMPDIR=/tmp'],
    ...seen.areas.flatMap((area) => ['--mount', mount(area)]),
    ...seen.readOnly.flatMap((folder) => ['--mount', `${mount(folder)},readonly`]),
    // An image may have an entrypoint of its own, which would get the script as its arguments.
    ...['--workdir', `${VIRTUAL_ROOT}/workspace`, '--entrypoint', program, container.image],
    ...args,
  ];
}

/** One line of comma-separated values: a folder may have a comma in its name, or a quote. */
function mount({ real, virtual }: AreaFolder): string {
  const fields = ['type=bind', `source=${real}`, `target=${virtual}`];
  return fields.map((it) => (/[",]/.test(it) ? `"${it.replaceAll('"', '""')}"` : it)).join(',');
}

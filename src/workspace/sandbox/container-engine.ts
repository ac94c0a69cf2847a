// The command line of an engine, Docker or Podman: how a container is started and ended, and how abandoned
// ones are removed. Their names contain the time until which each may run.
import { askProgram } from '../../processes/ask-program.ts';
import { limitedScript } from '../../processes/limited-command.ts';
import { VIRTUAL_ROOT } from '../paths.ts';
import { systemLimits } from './prepared-command.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { AreaFolder, SeenFolders } from './seen-folders.ts';

const TIDY_MS = 60_000;
const ASKED_MS = 30_000;
/** A container may start after it was ended here, when the command line that requested it is gone. */
const AGAIN_MS = [2_000, 15_000];

export function createContainerEngine({ path, container }: SandboxOptions, now: () => number = Date.now) {
  /** The complete environment of its command line. */
  const env = { PATH: path, ...container.env };
  const ask = async (...args: readonly string[]): Promise<string> => {
    const outcome = await askProgram({ program: container.engine, args, env, timeoutMs: ASKED_MS });
    return outcome.kind === 'answered' ? outcome.stdout : '';
  };
  let tidiedAt = Number.NEGATIVE_INFINITY;
  return {
    program: container.engine,
    env,
    /** Ends a container, even one that the engine has yet to start. Never fails. */
    end(name: string): void {
      // Removing it may wait for it to end by itself. Killing it does not remove one that has not started.
      void ask('kill', name).then(() => ask('rm', '--force', name));
      for (const delay of AGAIN_MS) setTimeout(() => void ask('rm', '--force', name), delay).unref();
    },
    /** Removes containers past their time, whose service was killed; at most once a minute. Never fails. */
    tidy(): void {
      if (now() - tidiedAt < TIDY_MS) return;
      tidiedAt = now();
      const asked = ask('ps', '--all', '--filter', `name=${PREFIX}`, '--format', '{{.Names}}');
      void asked.then(async (names) => {
        const leftOver = names.split('\n').filter((name) => isLeftOver(name.trim(), now()));
        if (leftOver.length > 0) await ask('rm', '--force', ...leftOver);
      });
    },
  };
}

/** The beginning of all their names. */
const PREFIX = 'agent-service-';
const NAME = /^agent-service-until-(\d{10,})-/;
const SECOND_MS = 1_000;
/** Allows for clocks that differ, and for an engine that is slow to end a container. */
const GRACE_MS = 60_000;

export function containerName(id: string, now: number, timeoutMs: number): string {
  return `${PREFIX}until-${Math.ceil((now + timeoutMs + GRACE_MS) / SECOND_MS)}-${id}`;
}

/** True when its time is over. That happens only when its service ended first. */
function isLeftOver(name: string, now: number): boolean {
  const [, until] = NAME.exec(name) ?? [];
  return until !== undefined && Number(until) * SECOND_MS < now;
}

const TMP_MB = 256;

/**
 * The container sees the folders of one thread and its image, may write to nothing else except `/tmp`, and
 * has no privileges.
 */
export function runArguments(
  { name, seen, script }: { readonly name: string; readonly seen: SeenFolders; readonly script: string },
  options: SandboxOptions,
): readonly string[] {
  const { network, memory_mb, processes, container } = options;
  // The system counts processes by user, including those of the service and of all other containers.
  const { processes: _, ...limits } = systemLimits(options);
  const { program, args } = limitedScript(script, limits);
  const tmp = `/tmp:size=${Math.min(TMP_MB, memory_mb)}m,mode=1777`;
  const user = container.user ?? `${process.getuid?.() ?? 1_000}:${process.getgid?.() ?? 1_000}`;
  return [
    ...['run', '--rm', '--init', '--name', name, '--hostname', 'sandbox', '--user', user],
    // The engine neither stores the output nor reports the progress of fetching an image.
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

/** One line of comma-separated values, quoted because the name of a folder may contain a comma or a quote. */
function mount({ real, virtual }: AreaFolder): string {
  const fields = ['type=bind', `source=${real}`, `target=${virtual}`];
  return fields.map((it) => (/[",]/.test(it) ? `"${it.replaceAll('"', '""')}"` : it)).join(',');
}

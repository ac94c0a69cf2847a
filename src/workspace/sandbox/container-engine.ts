// What an engine is asked beside running a command: to end a container, and those that nobody waits for any more.
import { askProgram } from '../../processes/ask-program.ts';
import { CONTAINER_PREFIX, isLeftOver } from './container-names.ts';
import type { SandboxOptions } from './sandbox-options.ts';

export interface ContainerEngine {
  readonly program: string;
  /** The whole environment of its command line. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends a container, also one that the engine is only about to start. Never fails. */
  end(name: string): void;
  /** Removes containers that outlived their time, because their service was killed; at most once a minute. Never fails. */
  tidy(): void;
}

const TIDY_MS = 60_000;
const ASKED_MS = 30_000;
/** It may begin after it was told to end: the command line that asked for it is gone by then. */
const AGAIN_MS = [2_000, 15_000];

export function createContainerEngine(
  { path, container }: SandboxOptions,
  now: () => number = Date.now,
): ContainerEngine {
  const env = { PATH: path, ...container.env };
  const ask = async (...args: readonly string[]): Promise<string> => {
    const answer = await askProgram({ program: container.engine, args, env, timeoutMs: ASKED_MS });
    return answer.kind === 'answered' ? answer.stdout : '';
  };
  let tidiedAt = Number.NEGATIVE_INFINITY;
  return {
    program: container.engine,
    env,
    end(name) {
      // To remove it may wait for it to end by itself; to kill it does not remove one that has not begun.
      void ask('kill', name).then(() => ask('rm', '--force', name));
      for (const delay of AGAIN_MS) setTimeout(() => void ask('rm', '--force', name), delay).unref();
    },
    tidy() {
      if (now() - tidiedAt < TIDY_MS) return;
      tidiedAt = now();
      const asked = ask('ps', '--all', '--filter', `name=${CONTAINER_PREFIX}`, '--format', '{{.Names}}');
      void asked.then(async (names) => {
        const leftOver = names.split('\n').filter((name) => isLeftOver(name.trim(), now()));
        if (leftOver.length > 0) await ask('rm', '--force', ...leftOver);
      });
    },
  };
}

// Runs commands in a container of Docker, or of another engine with the same command line.
import { randomUUID } from 'node:crypto';
import { NOT_STARTED } from '../../processes/run-process.ts';
import { containerName, createContainerEngine, runArguments } from './container-engine.ts';
import { preparedCommand } from './prepared-command.ts';
import type { Sandbox, SandboxParts } from './sandbox.ts';

/** The exit code of an engine's command line when the engine itself failed. */
const ENGINE_FAILED = 125;

interface ContainerParts extends SandboxParts {
  readonly newId?: () => string;
  readonly now?: () => number;
}

export function createContainerSandbox(parts: ContainerParts): Sandbox {
  const { options, newId = randomUUID, now = Date.now } = parts;
  const engine = createContainerEngine(options, now);
  engine.tidy();
  return {
    kind: 'container',
    async run(command) {
      engine.tidy();
      const { seen, run } = await preparedCommand(parts, command, 'left to the engine');
      const name = containerName(newId(), now(), options.timeout_seconds * 1_000);
      const outcome = await run({
        program: engine.program,
        args: runArguments({ name, seen, script: command.script }, options),
        env: engine.env,
        // The command line only asks the engine, which would continue the container without it.
        onStop: () => engine.end(name),
      });
      return outcome.kind === 'exited' && outcome.code === ENGINE_FAILED ? NOT_STARTED : outcome;
    },
  };
}

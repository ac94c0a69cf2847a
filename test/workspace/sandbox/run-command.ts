// Runs commands in a sandbox for tests.
import type { ProcessOutcome } from '../../../src/processes/outcome.ts';
import type { Sandbox, SandboxCommand } from '../../../src/workspace/sandbox/sandbox.ts';
import { type SandboxOptions, sandboxOptionsSchema } from '../../../src/workspace/sandbox/sandbox-options.ts';

export interface Ran {
  readonly outcome: ProcessOutcome;
  readonly stdout: string;
  readonly stderr: string;
}

export const ANNS = { userId: 'ann', threadId: 'thread-1' };

/** Runs a script to its end, by default in Ann's thread. */
export async function runCommand(
  sandbox: Sandbox,
  script: string,
  command: Partial<SandboxCommand> = {},
): Promise<Ran> {
  const said = { stdout: '', stderr: '' };
  const outcome = await sandbox.run({
    place: ANNS,
    signal: new AbortController().signal,
    ...command,
    script,
    onOutput(stream, text) {
      said[stream] += text;
      command.onOutput?.(stream, text);
    },
  });
  return { outcome, ...said };
}

/** Returns the options of a configuration file; limits are small, so that tests reach them. */
export function sandboxOptions(options: Partial<SandboxOptions> = {}): SandboxOptions {
  return sandboxOptionsSchema.parse({
    timeout_seconds: 60,
    memory_mb: 192,
    processes: 64,
    file_mb: 2,
    output_mb: 1,
    min_free_mb: 0,
    ...options,
  });
}

/** A word that occurs only in the environment of the service. */
export const CANARY = 'CANARY-sandbox';

// The context and the exit codes of all commands, their configuration, and how they print.
import { formatProblems } from '../config/config-problem.ts';
import { loadConfig } from '../config/load.ts';
import type { Environment } from '../config/references.ts';
import type { Config } from '../config/schema.ts';

/** Prints one line for the person at the terminal. */
type Print = (line: string) => void;

/** 0 when the command succeeded, else 1. */
export type ExitCode = 0 | 1;

export interface CommandContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly print: Print;
  /** Prints the progress of a long command, apart from its output. */
  readonly progress: Print;
}

/** Returns the configuration, or prints all of its problems and returns `undefined`. */
export function configFor({ environment, cwd, print }: CommandContext): Config | undefined {
  const loaded = loadConfig(environment, cwd);
  if (loaded.ok) return loaded.config;
  print(formatProblems(loaded.problems));
  return undefined;
}

const PAUSE_MS = 2_000;

/** Prints a line, unless it printed one less than two seconds ago. */
export function createProgress({ progress }: CommandContext): (line: string) => void {
  let printedAt = Number.NEGATIVE_INFINITY;
  return (line) => {
    const at = performance.now();
    if (at - printedAt < PAUSE_MS) return;
    printedAt = at;
    progress(line);
  };
}

export function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}

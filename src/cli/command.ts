// What every command of the command line is given, and what it answers.
import type { Environment } from '../config/references.ts';

/** Prints one line for the person at the terminal. */
type Print = (line: string) => void;

/** 0 when the command did what it was asked to, else 1. */
export type ExitCode = 0 | 1;

export interface CommandContext {
  readonly environment: Environment;
  readonly cwd: string;
  readonly print: Print;
  /** The same, for how far a long command is; no part of what it answers. */
  readonly progress: Print;
}

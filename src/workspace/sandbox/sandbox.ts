// Where the agent's commands run: the port. What it may see and use is the implementation's promise.
import type { OutputStream, ProcessOutcome } from '../../processes/outcome.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUseOf } from '../quota/disk-use.ts';
import type { ReadOnlyFolders } from '../read-only/read-only-folders.ts';
import type { SandboxOptions } from './sandbox-options.ts';

type SandboxKind = 'bubblewrap' | 'container' | 'virtual' | 'host';

export interface SandboxCommand {
  /**
   * Whose files the command sees, under `/mnt/user-data`, where it begins in the workspace folder, and whose folders beside
   * them, which it can only read.
   */
  readonly place: WorkspacePlace;
  /** A script in bash. */
  readonly script: string;
  /** Aborted: the command and everything that it began is killed. */
  readonly signal: AbortSignal;
  /** What the command says, as it says it, cut anywhere. It names no folder of this machine. */
  readonly onOutput: (stream: OutputStream, text: string) => void;
}

/** What every implementation is made of. */
export interface SandboxParts {
  readonly dataHome: string;
  readonly options: SandboxOptions;
  readonly diskUseOf: DiskUseOf;
  /** Absent: none. */
  readonly readOnly?: ReadOnlyFolders | undefined;
}

export interface Sandbox {
  readonly kind: SandboxKind;
  /** Resolves when the command and everything that it began has ended. Never rejects for what a command does. */
  run(command: SandboxCommand): Promise<ProcessOutcome>;
}

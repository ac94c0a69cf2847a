// Where the agent's commands run: the port. Each implementation ensures what they may see and use.
import type { OutputStream, ProcessOutcome } from '../../processes/outcome.ts';
import type { WorkspacePlace } from '../paths.ts';
import type { DiskUseOf } from '../quota/disk-use.ts';
import type { ReadOnlyFolders } from '../read-only/read-only-folders.ts';
import type { SandboxOptions } from './sandbox-options.ts';

type SandboxKind = 'bubblewrap' | 'container' | 'virtual' | 'host';

export interface SandboxCommand {
  /**
   * The owner and the thread of the files that the command sees under `/mnt/user-data`. It starts in the
   * workspace folder. The owner's other folders can only be read.
   */
  readonly place: WorkspacePlace;
  /** A script in bash. */
  readonly script: string;
  /** Aborting it kills the command and everything that it started. */
  readonly signal: AbortSignal;
  /** Called with the command's output as it arrives, cut anywhere. It names no folder of this machine. */
  readonly onOutput: (stream: OutputStream, text: string) => void;
}

/** What every implementation needs. */
export interface SandboxParts {
  readonly dataHome: string;
  readonly options: SandboxOptions;
  readonly diskUseOf: DiskUseOf;
  /** Absent: no such folders. */
  readonly readOnly?: ReadOnlyFolders | undefined;
}

export interface Sandbox {
  readonly kind: SandboxKind;
  /** Resolves when the command and all that it started has ended. Never rejects for what a command does. */
  run(command: SandboxCommand): Promise<ProcessOutcome>;
}

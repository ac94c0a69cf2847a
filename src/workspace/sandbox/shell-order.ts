// The order to a process of the virtual shell. Imports only types: that process loads as little as it can.
import type { SeenFolders } from './seen-folders.ts';

/** The one command of a process. */
export interface ShellOrder extends SeenFolders {
  /** The virtual folder in which the script starts. */
  readonly folder: string;
  readonly script: string;
  readonly outputBytes: number;
  readonly fileBytes: number;
  /** The size of all files outside the folders of the thread, such as in `/tmp`. */
  readonly looseBytes: number;
  readonly timeoutMs: number;
}

/** Descriptors of the order (JSON) and of output. A dying process's own messages are not the script's. */
export const DESCRIPTORS = { order: 3, stdout: 4, stderr: 5 } as const;

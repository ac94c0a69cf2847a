// What a process of the virtual shell is told: types alone, because it loads as little as it can.

interface ShownFolder {
  readonly virtual: string;
  readonly real: string;
}

/** The one command of a process. */
export interface ShellOrder {
  /** Virtual folders and the real ones that they show. */
  readonly areas: readonly ShownFolder[];
  /** The same, for those in which nothing can be changed. */
  readonly readOnly: readonly ShownFolder[];
  /** The virtual folder in which the script begins. */
  readonly folder: string;
  readonly script: string;
  readonly outputBytes: number;
  readonly fileBytes: number;
  /** Of files that are in no folder of the thread, such as `/tmp`. */
  readonly looseBytes: number;
  readonly timeoutMs: number;
}

/** The descriptor with the order in JSON, and those for output: what a dying process says of itself is not a script's. */
export const DESCRIPTORS = { order: 3, stdout: 4, stderr: 5 } as const;

// Folders beside a thread's own that its runs may read and nobody writes through: the port.

export interface ReadOnlyFolder {
  /** Where runs see it, such as `/mnt/skills/public/report`. */
  readonly virtual: string;
  /** Where it lies on this machine. */
  readonly real: string;
}

export interface ReadOnlyFolders {
  /** All of them are seen below it, such as `/mnt/skills`. */
  readonly root: string;
  /** Those of a user as they are now; asked whenever a run looks. */
  of(userId: string | null): Promise<readonly ReadOnlyFolder[]>;
  /** A sentence for the model about a path below the root that leads to none of them. */
  missing(path: string): string;
}

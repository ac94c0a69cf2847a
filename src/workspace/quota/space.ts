// The space of files: bytes, and entries of folders, which cost something even when they are empty.

export interface Space {
  readonly bytes: number;
  /** Files, folders and links. */
  readonly entries: number;
}

export const NO_SPACE: Space = { bytes: 0, entries: 0 };

export function plus(a: Space, b: Space): Space {
  return { bytes: a.bytes + b.bytes, entries: a.entries + b.entries };
}

export function minus(a: Space, b: Space): Space {
  return { bytes: a.bytes - b.bytes, entries: a.entries - b.entries };
}

/** Returns the minimum of each number. */
export function least(a: Space, b: Space): Space {
  return { bytes: Math.min(a.bytes, b.bytes), entries: Math.min(a.entries, b.entries) };
}

// Paths of a thread's files, as people read them.

const ROOT = '/mnt/user-data/';

/** The last part of a path. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Every path of a thread begins alike, and a line is short. */
export function shortPath(path: string): string {
  return path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
}

export function isThreadPath(path: string): boolean {
  return path.startsWith(ROOT) && !path.endsWith('/');
}

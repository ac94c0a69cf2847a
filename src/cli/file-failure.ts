// What the file system refused, as a sentence for the person at the terminal.

const SENTENCES = new Map<string, (path: string) => string>([
  ['ENOENT', (path) => `There is no ${path}, or its folder is missing.`],
  ['ENOTDIR', (path) => `${path} cannot be there: what should be its folder is a file.`],
  ['EISDIR', (path) => `${path} is a folder.`],
  ['EACCES', (path) => `${path} may not be opened; check the permissions of the file and its folder.`],
  ['EPERM', (path) => `${path} may not be opened; check the permissions of the file and its folder.`],
  ['EROFS', (path) => `${path} lies on a disk that cannot be written.`],
  [
    'EEXIST',
    (path) => `${path} exists already; it was left as it is. Name another file, or remove it first.`,
  ],
  ['ENOSPC', () => 'The disk is full. Make room and try again.'],
  ['EDQUOT', () => 'The quota of the disk is used up. Make room and try again.'],
  ['EFBIG', (path) => `${path} would be larger than a file may be here.`],
]);

/** `undefined` when the error is none of the file system. */
export function fileFailure(error: unknown, path: string): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  return SENTENCES.get(error.code)?.(path);
}

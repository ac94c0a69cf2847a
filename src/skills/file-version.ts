// Which version of a file of a skill it is.
import type { Stats } from 'node:fs';

/** Another text after every change of the file, whoever made it; without quotes and blanks. */
export function fileVersion({ ino, size, mtimeMs, ctimeMs }: Stats): string {
  return [ino, size, mtimeMs, ctimeMs].map((number) => number.toString(36)).join('-');
}

/** What a request wants the file to be still: one of these versions, or (`*`) any at all. */
export type ExpectedVersion = readonly string[] | '*';

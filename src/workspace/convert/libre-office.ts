// Where LibreOffice is, if it is installed.
import { access, constants, realpath } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

export interface LibreOffice {
  readonly program: string;
  /** What it needs beside the system's folders. */
  readonly folder: string;
}

const NAMES = ['soffice', 'libreoffice'];

/** The first one on `path`, with its links followed. Never rejects. */
export async function findLibreOffice(path: string): Promise<LibreOffice | undefined> {
  for (const folder of path.split(delimiter)) {
    for (const name of NAMES) {
      const program = await executable(join(folder, name));
      if (program !== undefined) return { program, folder: dirname(dirname(program)) };
    }
  }
  return undefined;
}

async function executable(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return await realpath(path);
  } catch {
    return undefined;
  }
}

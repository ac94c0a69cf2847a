// Where an installed skill comes from: kept in its folder, so that both appear as one.
import { constants } from 'node:fs';
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { type Folder, openChildFile } from '../../workspace/folder.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { readText } from '../read-text.ts';

export interface Provenance {
  /** Epoch milliseconds. */
  readonly installedAt: number;
  /** The id of the account. */
  readonly installedBy: string;
  /** As the person's browser named it. */
  readonly fileName: string;
  /** Of the package, hexadecimal. */
  readonly sha256: string;
}

/** Names with a dot are omitted from packages, so they cannot be brought in. */
const PROVENANCE_FILE = '.provenance.json';
const MAX_BYTES = 8_192;

const provenanceSchema = z.object({
  installedAt: z.number(),
  installedBy: z.string(),
  fileName: z.string(),
  sha256: z.string(),
});

/** Into a folder that is not visible yet. Durable when it resolves. */
export async function writeProvenance(folder: Folder, provenance: Provenance): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const { handle } = await openChildFile(folder, PROVENANCE_FILE, O_WRONLY | O_CREAT | O_EXCL);
  try {
    await handle.writeFile(JSON.stringify(provenance));
    await handle.sync();
  } finally {
    await handle.close();
  }
  await folder.sync();
}

/** `undefined` for a skill that was not installed. */
export async function readProvenance(folder: Folder): Promise<Provenance | undefined> {
  try {
    const text = await readText({ folder, name: PROVENANCE_FILE, maxBytes: MAX_BYTES });
    return provenanceSchema.parse(JSON.parse(text));
  } catch (error) {
    if (isFileSystemError(error) || error instanceof ServiceError) return undefined;
    if (error instanceof z.ZodError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

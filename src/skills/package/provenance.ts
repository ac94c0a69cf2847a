// The origin of an installed skill, kept in its folder so that both appear together.
import { z } from 'zod';
import { ServiceError } from '../../errors.ts';
import { jsonIn } from '../../json/unknown-json.ts';
import type { Folder } from '../../workspace/folder.ts';
import { createSynced } from '../../workspace/plain-file.ts';
import { isFileSystemError } from '../../workspace/workspace-failure.ts';
import { readText } from '../read-text.ts';

/** Packages lose names that begin with a dot, so no package can bring its own. */
const PROVENANCE_FILE = '.provenance.json';
const MAX_BYTES = 8_192;

const provenanceSchema = z.object({
  /** Epoch milliseconds. */
  installedAt: z.number(),
  /** The id of the account. */
  installedBy: z.string(),
  /** The name from the person's browser. */
  fileName: z.string(),
  /** The hash of the package, hexadecimal. */
  sha256: z.string(),
});

export type Provenance = z.output<typeof provenanceSchema>;

/** Writes to a folder that is not visible yet. Durable when it resolves. */
export async function writeProvenance(folder: Folder, provenance: Provenance): Promise<void> {
  await createSynced(folder, PROVENANCE_FILE, (handle) => handle.writeFile(JSON.stringify(provenance)));
  await folder.sync();
}

/** Returns `undefined` for a skill that was not installed. */
export async function readProvenance(folder: Folder): Promise<Provenance | undefined> {
  try {
    const text = await readText({ folder, name: PROVENANCE_FILE, maxBytes: MAX_BYTES });
    return provenanceSchema.safeParse(jsonIn(text)).data;
  } catch (error) {
    if (isFileSystemError(error) || error instanceof ServiceError) return undefined;
    throw error;
  }
}

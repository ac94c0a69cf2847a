// One file of a `.skill` package, read out of the zip as it lies there; nothing is unpacked to disk.
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { notFound, ServiceError } from '../../errors.ts';
import { packageFiles } from './skill-package.ts';

const MAX_MEMBER_BYTES = 16 * 1024 * 1024;

/**
 * The bytes of `member`, looked for by its whole name and then below the package's one top folder. Throws `not_found`,
 * `invalid` for a package that cannot be read or is not safe, `payload_too_large` for a member over 16 MiB and for a
 * package that unpacks to too much. The descriptor stays open.
 */
export async function readSkillMember(fd: number, member: string): Promise<Buffer> {
  try {
    const zip = await fromFdPromise(fd, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    });
    const files = await packageFiles(zip);
    const entry =
      files.find(({ fileName }) => fileName === member) ??
      files.find(({ fileName }) => isBelowTopFolder(fileName, member));
    if (entry === undefined) throw notFound('Artifact');
    if (entry.uncompressedSize > MAX_MEMBER_BYTES)
      throw new ServiceError('payload_too_large', 'The member is too large to be shown.');
    return await readMember(zip, entry);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid', 'The package is not a zip file, or it is damaged.', { cause: error });
  }
}

function isBelowTopFolder(name: string, member: string): boolean {
  const slash = name.indexOf('/');
  return slash > 0 && name.slice(slash + 1) === member;
}

async function readMember(zip: ZipFile, entry: Entry): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

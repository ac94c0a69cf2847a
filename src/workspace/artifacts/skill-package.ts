// A `.skill` package before it is unpacked. One unsafe entry condemns the whole package.
import { buffer } from 'node:stream/consumers';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { notFound, ServiceError } from '../../errors.ts';

const MAX_ENTRIES = 2_000;
const MAX_BYTES = 100 * 1_048_576;
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;
const TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;
const STORED = 0;
const DEFLATED = 8;

/** The descriptor stays open. Throws the library's errors for a broken zip, or names that lead out of it. */
export function openPackage(fd: number): Promise<ZipFile> {
  return fromFdPromise(fd, {
    lazyEntries: true,
    autoClose: false,
    strictFileNames: true,
    validateEntrySizes: true,
  });
}

/** Returns the error for a package that cannot be read. */
export function damagedPackage(cause: unknown): ServiceError {
  return new ServiceError('invalid', 'The package is not a zip file, or it is damaged.', { cause });
}

/**
 * Returns the files of a zip opened by `openPackage`. Throws `invalid` for links, devices, names that some
 * system treats as equal, and encrypted entries. Throws `payload_too_large` for more than 2,000 entries, and
 * for declared sizes of more than 100 MB or a hundred times the packed size.
 */
export async function packageFiles(zip: ZipFile): Promise<readonly Entry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw tooMany();
  const files: Entry[] = [];
  const names = new Set<string>();
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    refuseUnsafe(entry);
    const key = entry.fileName.replace(/\/$/, '').normalize('NFC').toLowerCase();
    if (names.has(key)) throw unsafe('two entries with one name');
    if (names.size === MAX_ENTRIES) throw tooMany();
    names.add(key);
    bytes += entry.uncompressedSize;
    if (bytes > MAX_BYTES) throw tooLarge();
    if (!entry.fileName.endsWith('/')) files.push(entry);
  }
  return files;
}

function refuseUnsafe(entry: Entry): void {
  const type = (entry.externalFileAttributes >>> 16) & TYPE;
  const isFolder = entry.fileName.endsWith('/');
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR_FILE)) throw unsafe('a link or a device');
  if (/\p{Cc}/u.test(entry.fileName)) throw unsafe('a name with control characters');
  const isReadable = entry.compressionMethod === STORED || entry.compressionMethod === DEFLATED;
  if (entry.isEncrypted() || !isReadable)
    throw unsafe('an entry that is encrypted or uses an unsupported compression');
  const { compressedSize, uncompressedSize } = entry;
  if (uncompressedSize > RATIO_COUNTS_FROM && uncompressedSize > compressedSize * MAX_RATIO) throw tooLarge();
}

function unsafe(what: string): ServiceError {
  return new ServiceError('invalid', `The package contains ${what} and was not read.`);
}

function tooMany(): ServiceError {
  return new ServiceError('payload_too_large', `The package has more than ${MAX_ENTRIES} entries.`);
}

function tooLarge(): ServiceError {
  return new ServiceError('payload_too_large', 'The package unpacks to far more than the limit.');
}

const MAX_MEMBER_BYTES = 16 * 1024 * 1024;

/**
 * Returns the bytes of `member`, searched by its whole name and then below the package's one top folder.
 * Throws `not_found`, `invalid` for a package that is unreadable or unsafe, `payload_too_large` for a member
 * over 16 MiB and for a package that unpacks to too much. The descriptor stays open.
 */
export async function readSkillMember(fd: number, member: string): Promise<Buffer> {
  try {
    const zip = await openPackage(fd);
    const files = await packageFiles(zip);
    const entry =
      files.find(({ fileName }) => fileName === member) ??
      files.find(({ fileName }) => isBelowTopFolder(fileName, member));
    if (entry === undefined) throw notFound('Artifact');
    if (entry.uncompressedSize > MAX_MEMBER_BYTES)
      throw new ServiceError('payload_too_large', 'The member is too large to be shown.');
    return await buffer(await zip.openReadStreamPromise(entry));
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw damagedPackage(error);
  }
}

function isBelowTopFolder(name: string, member: string): boolean {
  const slash = name.indexOf('/');
  return slash > 0 && name.slice(slash + 1) === member;
}

// Reads an uploaded zip. It is checked as a whole before any entry is read.

import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl';
import { createBreath } from '../breath.ts';
import { ServiceError } from '../errors.ts';
import { type EntryPlace, placeOf } from './entry-names.ts';
import { MANIFEST, manifestEntrySchema, manifestSchema } from './package-format.ts';
import { type LinesFile, parsePackageJson, refusedPackage } from './package-text.ts';
import type { TransferOptions } from './transfer-options.ts';

/** Reading it throws after the last byte if the bytes do not match the manifest. */
export interface PackageEntry extends LinesFile {
  readonly place: EntryPlace;
}

export interface PackageReader {
  readonly kind: 'thread' | 'account';
  readonly threadsLeftOut: ReadonlySet<string>;
  /** All entries except the manifest. */
  readonly entries: readonly PackageEntry[];
}

const MEGABYTE = 1_048_576;
const RATIO_COUNTS_FROM = 100 * MEGABYTE;
const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const STORED = 0;
const DEFLATED = 8;

/** Reads from an open file, which stays open. Throws `validation_failed` for any defect of the package. */
export async function openPackage(fd: number, limits: TransferOptions): Promise<PackageReader> {
  const zip = await opened(
    fromFdPromise(fd, {
      lazyEntries: true,
      autoClose: false,
      strictFileNames: true,
      validateEntrySizes: true,
    }),
  );
  const found = await whole(readDirectory(zip, limits));
  const manifestEntry = found.get(MANIFEST);
  if (manifestEntry === undefined) throw refusedPackage(`The package has no ${MANIFEST}.`);
  if (manifestEntry.uncompressedSize > limits.max_manifest_mb * MEGABYTE) {
    throw refusedPackage(`The manifest is larger than ${limits.max_manifest_mb} MB.`);
  }
  const bytes = await buffer(readEntry(zip, manifestEntry));
  const { manifest, named } = await parseManifest(bytes);
  found.delete(MANIFEST);
  const entries = Array.from(found, ([name, entry]): PackageEntry => {
    const sha256 = named.get(name);
    if (sha256 === undefined) throw refusedPackage(`The manifest does not name ${JSON.stringify(name)}.`);
    return { name, place: placeOf(name), read: () => checked(readEntry(zip, entry), { name, sha256 }) };
  });
  for (const name of named.keys()) {
    if (!found.has(name))
      throw refusedPackage(`The manifest names ${JSON.stringify(name)}, which is missing.`);
  }
  return {
    kind: manifest.kind,
    threadsLeftOut: new Set(manifest.threads_left_out),
    entries,
  };
}

/** Returns all entries by name. Refuses unsafe and duplicate entries, and sizes over the limits. */
async function readDirectory(zip: ZipFile, limits: TransferOptions): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>();
  const sizes = { packed: 0, unpacked: 0 };
  for await (const entry of zip.eachEntry()) {
    if (found.size >= limits.max_entries) {
      throw refusedPackage(`The package has more than ${limits.max_entries} entries.`);
    }
    refuseEntry(entry, found);
    found.set(entry.fileName, entry);
    sizes.packed += entry.compressedSize;
    sizes.unpacked += entry.uncompressedSize;
    refuseSizes(sizes, limits);
  }
  return found;
}

function refuseEntry(entry: Entry, found: ReadonlyMap<string, Entry>): void {
  const { fileName: name } = entry;
  placeOf(name);
  if (found.has(name)) throw refusedPackage(`The package contains ${JSON.stringify(name)} twice.`);
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== REGULAR_FILE) {
    throw refusedPackage(`${JSON.stringify(name)} is a link or a device, not a file.`);
  }
  if (entry.isEncrypted()) throw refusedPackage(`${JSON.stringify(name)} is encrypted.`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw refusedPackage(`${JSON.stringify(name)} uses a compression that is not supported.`);
  }
}

function refuseSizes(
  { packed, unpacked }: { readonly packed: number; readonly unpacked: number },
  limits: TransferOptions,
): void {
  if (unpacked > limits.max_unpacked_mb * MEGABYTE) {
    throw refusedPackage(`The package holds more than ${limits.max_unpacked_mb} MB when it is unpacked.`);
  }
  if (unpacked > RATIO_COUNTS_FROM && unpacked > packed * limits.max_ratio) {
    throw refusedPackage(`The package grows more than ${limits.max_ratio} times when unpacked.`);
  }
}

async function* readEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  const stream = await whole(zip.openReadStreamPromise(entry));
  try {
    for await (const piece of stream) yield Buffer.from(piece);
  } catch (error) {
    throw unreadable(error);
  }
}

async function* checked(
  pieces: AsyncGenerator<Uint8Array>,
  { name, sha256 }: { readonly name: string; readonly sha256: string },
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of pieces) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') !== sha256) {
    throw refusedPackage(
      `${JSON.stringify(name)} does not match the manifest; the package was changed or damaged.`,
    );
  }
}

async function parseManifest(bytes: Buffer) {
  const parsed = manifestSchema.safeParse(await parsePackageJson(bytes, 'The manifest'));
  if (!parsed.success) throw unreadableManifest(parsed.error.issues[0]);
  const breath = createBreath();
  const named = new Map<string, string>();
  for (const [name, said] of Object.entries(parsed.data.entries)) {
    const entry = manifestEntrySchema.safeParse(said);
    if (!entry.success) throw unreadableManifest(entry.error.issues[0]);
    named.set(name, entry.data.sha256);
    await breath();
  }
  return { manifest: parsed.data, named };
}

function unreadableManifest(issue: { readonly path: PropertyKey[]; readonly message: string } | undefined) {
  return refusedPackage(
    `This release cannot read the manifest (${issue?.path.join('.')}: ${issue?.message}).`,
  );
}

/** Replaces the library's message for a zip that does not open, because it does not help the user. */
async function opened<Result>(opening: Promise<Result>): Promise<Result> {
  try {
    return await opening;
  } catch {
    throw refusedPackage('The file is not a zip file, or it is not complete.');
  }
}

/** Reports errors of the zip library as defects of the package. */
async function whole<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading;
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown): Error {
  if (error instanceof ServiceError) return error;
  const why = error instanceof Error ? error.message : 'it is damaged';
  return refusedPackage(`The zip file cannot be read: ${why}${why.endsWith('.') ? '' : '.'}`);
}

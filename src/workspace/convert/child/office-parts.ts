// The parts of an office document, really unpacked and counted before any library sees them (docs/decisions/0035-conversion.md).
import { type Entry, fromBufferPromise, type ZipFile as ReadZip } from 'yauzl';
import { ZipFile } from 'yazl';
import { Unreadable } from './unreadable.ts';

/** By name; only what is read: texts and what they refer to, no pictures. */
export type OfficeParts = ReadonlyMap<string, Buffer>;

const MAX_ENTRIES = 10_000;
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;
const MIB = 1_048_576;
const READ = /\.(?:xml|rels)$/i;
/** The record at the end of a zip, which has the length of a comment that follows it. */
const ZIP_END = Buffer.from('PK\u0005\u0006');
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_AT = 20;
const ENTITY = /<!(?:DOCTYPE|ENTITY)/i;

/** Throws `Unreadable` for what grows too large, and for XML that no office program writes. */
export async function officeParts(bytes: Buffer, maxUnpackedBytes: number): Promise<OfficeParts> {
  const zip = await fromBufferPromise(withoutTail(bytes), { lazyEntries: true, validateEntrySizes: true });
  const parts = new Map<string, Buffer>();
  let entries = 0;
  let left = maxUnpackedBytes;
  for await (const entry of zip.eachEntry()) {
    entries += 1;
    if (entries > MAX_ENTRIES) throw new Unreadable(`The document has more than ${MAX_ENTRIES} parts.`);
    if (!READ.test(entry.fileName) || parts.has(entry.fileName)) continue;
    if (entry.isEncrypted()) throw new Unreadable('The document is encrypted. Upload it without a password.');
    const part = await unpacked(zip, entry, Math.min(left, largest(entry)));
    if (part === undefined) throw tooLarge(maxUnpackedBytes);
    left -= part.length;
    refuseStrangeXml(part);
    parts.set(entry.fileName, part);
  }
  return parts;
}

/** The same parts as a plain zip, so that what a library reads is what was counted. */
export async function plainZip(parts: OfficeParts): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, part] of parts) zip.addBuffer(part, name, { compress: false });
  zip.end();
  return gathered(zip.outputStream);
}

/** Mail programs and the like add bytes at the end, which office programs overlook and the library does not. */
function withoutTail(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(ZIP_END);
  if (at < 0 || at + ZIP_END_BYTES > bytes.length) return bytes;
  return bytes.subarray(0, at + ZIP_END_BYTES + bytes.readUInt16LE(at + ZIP_COMMENT_AT));
}

function largest({ compressedSize }: Entry): number {
  return Math.max(RATIO_COUNTS_FROM, compressedSize * MAX_RATIO);
}

/** `undefined` as soon as it is more than `maxBytes`, whatever the zip says. */
async function unpacked(zip: ReadZip, entry: Entry, maxBytes: number): Promise<Buffer | undefined> {
  if (entry.uncompressedSize > maxBytes) return undefined;
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of await zip.openReadStreamPromise(entry)) {
    const buffer = Buffer.from(piece);
    bytes += buffer.length;
    if (bytes > maxBytes) return undefined;
    pieces.push(buffer);
  }
  return Buffer.concat(pieces);
}

async function gathered(stream: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
}

/** Entities and types of documents only serve to grow or to fetch; zeros are another encoding, which would hide them. */
function refuseStrangeXml(part: Buffer): void {
  if (ENTITY.test(part.toString('latin1')) || part.includes(0))
    throw new Unreadable('The document has parts that no office program writes, and was not read.');
}

function tooLarge(maxUnpackedBytes: number): Unreadable {
  return new Unreadable(
    `The document is larger than ${maxUnpackedBytes / MIB} MB or grows more than ${MAX_RATIO} times when it is unpacked.`,
  );
}

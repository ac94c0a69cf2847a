// The parts of an office document, unpacked and counted before any library sees them
// (docs/decisions/0035-conversion.md).
import { buffer } from 'node:stream/consumers';
import { type Entry, fromBufferPromise } from 'yauzl';
import { ZipFile } from 'yazl';
import { atMost } from '../../../at-most.ts';
import { Unreadable } from './unreadable.ts';

/** By name. Only the parts that are read: texts and what they refer to, no pictures. */
export type OfficeParts = ReadonlyMap<string, Buffer>;

const MAX_ENTRIES = 10_000;
const MAX_RATIO = 100;
const RATIO_COUNTS_FROM = 1_048_576;
const MIB = 1_048_576;
const READ = /\.(?:xml|rels)$/i;
/** The record at the end of a zip, with the length of a comment that follows it. */
const ZIP_END = Buffer.from('PK\u0005\u0006');
const ZIP_END_BYTES = 22;
const ZIP_COMMENT_AT = 20;
const ENTITY = /<!(?:DOCTYPE|ENTITY)/i;

/** Throws `Unreadable` for a document that is encrypted or too large, or has XML of no office program. */
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
    const most = Math.min(left, largest(entry));
    const refusal = () => tooLarge(maxUnpackedBytes);
    if (entry.uncompressedSize > most) throw refusal();
    const part = await buffer(atMost(await zip.openReadStreamPromise(entry), most, refusal));
    left -= part.length;
    refuseStrangeXml(part);
    parts.set(entry.fileName, part);
  }
  return parts;
}

/** Packs the same parts as a plain zip, so that a library reads exactly what was counted. */
export async function plainZip(parts: OfficeParts): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, part] of parts) zip.addBuffer(part, name, { compress: false });
  zip.end();
  return buffer(zip.outputStream);
}

/** Mail programs and others append bytes, which office programs ignore and the library does not. */
function withoutTail(bytes: Buffer): Buffer {
  const at = bytes.lastIndexOf(ZIP_END);
  if (at < 0 || at + ZIP_END_BYTES > bytes.length) return bytes;
  return bytes.subarray(0, at + ZIP_END_BYTES + bytes.readUInt16LE(at + ZIP_COMMENT_AT));
}

function largest({ compressedSize }: Entry): number {
  return Math.max(RATIO_COUNTS_FROM, compressedSize * MAX_RATIO);
}

/** Entities and document types only serve to grow or to fetch. An encoding with zeros hides them. */
function refuseStrangeXml(part: Buffer): void {
  if (ENTITY.test(part.toString('latin1')) || part.includes(0))
    throw new Unreadable('The document has parts that office programs do not write, and was not read.');
}

function tooLarge(maxUnpackedBytes: number): Unreadable {
  return new Unreadable(
    `The document is larger than ${maxUnpackedBytes / MIB} MB or grows more than ${MAX_RATIO} times when it is unpacked.`,
  );
}

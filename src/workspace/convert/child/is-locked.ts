// Whether an old office document is behind a password: each kind says so in its own way.
import type { OldExtension } from './new-format.ts';

const SECTOR = 512;
/** The beginning of a Word document, which lies at the beginning of a sector; then a word of flags. */
const WORD_MAGIC = 0xa5ec;
const WORD_FLAGS_AT = 10;
const WORD_ENCRYPTED = 0x0100;
/** The first record of a workbook, and the one that comes before everything that is encrypted. */
const BOF = 0x0809;
const FILEPASS = 0x002f;
/** Of the atom that says who wrote a presentation: its size and the token of an encrypted one. */
const ENCRYPTED_USER = Buffer.from('14000000dfc4d1f3', 'hex');

export function isLocked(bytes: Buffer, kind: OldExtension): boolean {
  switch (kind) {
    case '.doc':
      return isLockedWord(bytes);
    case '.xls':
      return isLockedWorkbook(bytes);
    case '.ppt':
      return bytes.includes(ENCRYPTED_USER);
    default:
      return kind satisfies never;
  }
}

function isLockedWord(bytes: Buffer): boolean {
  for (let at = SECTOR; at + SECTOR <= bytes.length; at += SECTOR) {
    if (bytes.readUInt16LE(at) !== WORD_MAGIC) continue;
    return (bytes.readUInt16LE(at + WORD_FLAGS_AT) & WORD_ENCRYPTED) !== 0;
  }
  return false;
}

function isLockedWorkbook(bytes: Buffer): boolean {
  for (let at = SECTOR; at + SECTOR <= bytes.length; at += SECTOR) {
    if (bytes.readUInt16LE(at) === BOF && isRecord(bytes, at)) return recordsOf(bytes, at).includes(FILEPASS);
  }
  return false;
}

function isRecord(bytes: Buffer, at: number): boolean {
  return bytes.readUInt16LE(at + 2) === 16;
}

/** The kinds of the first records. */
function recordsOf(bytes: Buffer, from: number): readonly number[] {
  const kinds: number[] = [];
  for (let at = from; at + 4 <= bytes.length && at < from + SECTOR; at += 4 + bytes.readUInt16LE(at + 2)) {
    kinds.push(bytes.readUInt16LE(at));
  }
  return kinds;
}

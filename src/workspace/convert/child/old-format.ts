// Detects passwords of old office documents, and converts such documents to the new formats.
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { NEW_FORMAT, type OldExtension } from '../conversion-order.ts';
import { kindName } from './document-kind.ts';
import { broken } from './unreadable.ts';

const SECTOR = 512;
/** The beginning of a Word document, at the beginning of a sector, and the flags after it. */
const WORD_MAGIC = 0xa5ec;
const WORD_FLAGS_AT = 10;
const WORD_ENCRYPTED = 0x0100;
/** The first record of a workbook, and the record that precedes everything encrypted. */
const BOF = 0x0809;
const FILEPASS = 0x002f;
/** In the atom that names the author of a presentation: its size and the token of an encrypted one. */
const ENCRYPTED_USER = Buffer.from('14000000dfc4d1f3', 'hex');

const LOCKS: Readonly<Record<OldExtension, (bytes: Buffer) => boolean>> = {
  '.doc': isLockedWord,
  '.xls': isLockedWorkbook,
  '.ppt': (bytes) => bytes.includes(ENCRYPTED_USER),
};

/** True when a password protects the document, which each kind records in its own way. */
export function isLocked(bytes: Buffer, kind: OldExtension): boolean {
  return LOCKS[kind](bytes);
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

/** Returns the kinds of the first records. */
function recordsOf(bytes: Buffer, from: number): readonly number[] {
  const kinds: number[] = [];
  for (let at = from; at + 4 <= bytes.length && at < from + SECTOR; at += 4 + bytes.readUInt16LE(at + 2)) {
    kinds.push(bytes.readUInt16LE(at));
  }
  return kinds;
}

const FOLDER = '/tmp/office';
const PROFILE = `${FOLDER}/profile`;

/** No macros, even if signed, and no fetching of what a document refers to. */
const SETTINGS: readonly (readonly [path: string, name: string, value: string])[] = [
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableMacrosExecution', 'true'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'MacroSecurityLevel', '3'],
  ['/org.openoffice.Office.Common/Security/Scripting', 'DisableActiveContent', 'true'],
  ['/org.openoffice.Office.Writer/Content/Update', 'Link', '0'],
  ['/org.openoffice.Office.Calc/Content/Update', 'Link', '2'],
];

/**
 * Converts with LibreOffice, which runs in the box of this process and ends with it. Throws `Unreadable` when
 * LibreOffice cannot read the document, which its exit code does not report.
 */
export async function inNewFormat(bytes: Buffer, extension: OldExtension, program: string): Promise<Buffer> {
  const source = `${FOLDER}/document${extension}`;
  const wanted = NEW_FORMAT[extension];
  await mkdir(`${PROFILE}/user`, { recursive: true });
  await writeFile(`${PROFILE}/user/registrymodifications.xcu`, settings());
  await writeFile(source, bytes);
  await run(program, [
    ...['--headless', '--norestore', '--nologo', '--nodefault', '--nolockcheck'],
    `-env:UserInstallation=file://${PROFILE}`,
    ...['--convert-to', wanted.slice(1), '--outdir', FOLDER, source],
  ]);
  return readFile(`${FOLDER}/document${wanted}`).catch(() => {
    throw broken(kindName(extension));
  });
}

function run(program: string, args: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  execFile(program, args, { env: { PATH: '/usr/bin:/bin', HOME: FOLDER, LANG: 'C.UTF-8' } }, () => resolve());
  return promise;
}

function settings(): string {
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join('')}</oor:items>
`;
}

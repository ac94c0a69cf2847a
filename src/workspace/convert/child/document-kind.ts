// Recognizes a file by its bytes, because names are unreliable.
import type { ConvertedExtension, OfficeExtension, OldExtension } from '../conversion-order.ts';
import { Unreadable } from './unreadable.ts';

const KINDS: Readonly<Record<ConvertedExtension, string>> = {
  '.pdf': 'PDF',
  '.docx': 'Word document (.docx)',
  '.xlsx': 'Excel workbook (.xlsx)',
  '.pptx': 'PowerPoint presentation (.pptx)',
  '.doc': 'Word document (.doc)',
  '.xls': 'Excel workbook (.xls)',
  '.ppt': 'PowerPoint presentation (.ppt)',
};
/** The part that makes a zip an office document. */
const PARTS = new Map<string, OfficeExtension>([
  ['word/document.xml', '.docx'],
  ['xl/workbook.xml', '.xlsx'],
  ['ppt/presentation.xml', '.pptx'],
]);
/** The stream that does the same in the container of the old formats. */
const STREAMS = new Map<string, OldExtension>([
  ['WordDocument', '.doc'],
  ['Workbook', '.xls'],
  ['Book', '.xls'],
  ['PowerPoint Document', '.ppt'],
]);
/** The stream of a new format that is protected with a password. */
const ENCRYPTED_STREAM = 'EncryptedPackage';

const CFB_MAGIC = Buffer.from('d0cf11e0a1b11ae1', 'hex');
const PDF_HEADER_WITHIN = 1_024;

/** Returns the name of this kind of document for a sentence. */
export function kindName(extension: ConvertedExtension): string {
  return KINDS[extension];
}

/** Returns the container. `cfb` is that of the old office formats, and of new ones with a password. */
export function containerOf(bytes: Buffer): 'pdf' | 'zip' | 'cfb' | undefined {
  if (bytes.subarray(0, CFB_MAGIC.length).equals(CFB_MAGIC)) return 'cfb';
  const head = bytes.subarray(0, PDF_HEADER_WITHIN).toString('latin1');
  if (head.startsWith('PK\u0003\u0004') || head.startsWith('PK\u0005\u0006')) return 'zip';
  return head.includes('%PDF-') ? 'pdf' : undefined;
}

/** Returns the kind of document that has these parts. */
export function kindOfParts(parts: Iterable<string>): OfficeExtension | undefined {
  return firstOf(parts, PARTS);
}

/**
 * Returns the kind of document that has these streams; `encrypted` when only the password would reveal it.
 */
export function kindOfStreams(names: readonly string[]): OldExtension | 'encrypted' | undefined {
  return names.includes(ENCRYPTED_STREAM) ? 'encrypted' : firstOf(names, STREAMS);
}

/** Returns the error for a file that is not what its name says. */
export function misnamed(found: ConvertedExtension | undefined, named: ConvertedExtension): Unreadable {
  if (found === undefined)
    return new Unreadable(`The file is not the ${KINDS[named]} that its name says, or it is damaged.`);
  return new Unreadable(
    `The file is a ${KINDS[found]}, though its name ends in ${named}. Rename it and upload it again.`,
  );
}

function firstOf<Kind>(names: Iterable<string>, kinds: ReadonlyMap<string, Kind>): Kind | undefined {
  for (const name of names) {
    const kind = kinds.get(name);
    if (kind !== undefined) return kind;
  }
  return undefined;
}

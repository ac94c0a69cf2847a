// Converts one document to Markdown: detects its real kind, then calls the reader for it.
import {
  type ConversionOrder,
  NEW_FORMAT,
  type OfficeExtension,
  type OldExtension,
} from '../conversion-order.ts';
import { type CompoundFile, compoundFile } from './compound-file.ts';
import { containerOf, kindName, kindOfParts, kindOfStreams, misnamed } from './document-kind.ts';
import { type OfficeParts, officeParts } from './office-parts.ts';
import { inNewFormat, isLocked } from './old-format.ts';
import { locked, Unreadable } from './unreadable.ts';

type Read<Source> = (source: Source) => Promise<string>;

/** Each is loaded for the document that needs it, because its libraries take a moment. */
const OFFICE_READERS: Readonly<Record<OfficeExtension, Read<OfficeParts>>> = {
  '.docx': async (parts) => (await import('./read-docx.ts')).readDocx(parts),
  '.xlsx': async (parts) => (await import('./read-xlsx.ts')).readXlsx(parts),
  '.pptx': async (parts) => (await import('./read-pptx.ts')).readPptx(parts),
};
const OLD_READERS: Readonly<Record<OldExtension, Read<CompoundFile>>> = {
  '.doc': async (file) => (await import('./read-doc.ts')).readDoc(file),
  '.xls': async (file) => (await import('./read-xls.ts')).readXls(file),
  '.ppt': async (file) => (await import('./read-ppt.ts')).readPpt(file),
};

/** Throws `Unreadable`, and errors of libraries for a damaged document. */
export async function readDocument(bytes: Buffer, order: ConversionOrder): Promise<string> {
  if (bytes.length === 0) throw new Unreadable('The file is empty.');
  const markdown = (await read(bytes, order))
    .replace(/(?<![ \t])[ \t]+$/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  if (markdown === '') throw new Unreadable('The document has no text.');
  return cutMarkdown(`${markdown}\n`, order.maxMarkdownBytes);
}

async function read(bytes: Buffer, order: ConversionOrder): Promise<string> {
  const { extension } = order;
  switch (containerOf(bytes)) {
    case 'pdf':
      if (extension !== '.pdf') throw misnamed('.pdf', extension);
      return order.pdfReader === 'native'
        ? (await import('./read-pdf.ts')).readPdf(bytes)
        : (await import('./read-pdf-without-addon.ts')).readPdfWithoutAddon(bytes);
    case 'zip':
      return readOffice(bytes, order);
    case 'cfb':
      return readOldFormat(bytes, order);
    case undefined:
      throw misnamed(undefined, extension);
  }
}

async function readOffice(
  bytes: Buffer,
  { extension, maxUnpackedBytes }: Pick<ConversionOrder, 'extension' | 'maxUnpackedBytes'>,
): Promise<string> {
  const parts = await officeParts(bytes, maxUnpackedBytes);
  const kind = kindOfParts(parts.keys());
  if (kind !== extension) throw misnamed(kind, extension);
  return OFFICE_READERS[kind](parts);
}

async function readOldFormat(bytes: Buffer, order: ConversionOrder): Promise<string> {
  const { extension, libreOffice } = order;
  const file = compoundFile(bytes);
  const kind = kindOfStreams(file.names);
  if (kind === 'encrypted' || (kind !== undefined && isLocked(bytes, kind)))
    throw locked(kindName(extension));
  if (kind !== extension) throw misnamed(kind, extension);
  if (libreOffice === undefined) return OLD_READERS[kind](file);
  return readOffice(await inNewFormat(bytes, kind, libreOffice), { ...order, extension: NEW_FORMAT[kind] });
}

const MIB = 1_048_576;

/** Cuts off the end of Markdown that is too long for one file, and adds a sentence about it. */
function cutMarkdown(markdown: string, maxBytes: number): string {
  if (Buffer.byteLength(markdown) <= maxBytes) return markdown;
  const head = Buffer.from(markdown).subarray(0, maxBytes).toString('utf8');
  const lineEnd = head.lastIndexOf('\n');
  const kept = lineEnd > 0 ? head.slice(0, lineEnd) : head;
  return `${kept}\n\n_The rest of the document is left out: its Markdown is longer than ${maxBytes / MIB} MB._\n`;
}

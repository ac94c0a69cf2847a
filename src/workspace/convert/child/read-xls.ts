// Reads old workbooks without LibreOffice: each sheet under its name, as a table of its cells.
import { set_cptable } from '@e965/xlsx';
import type { CompoundFile } from './compound-file.ts';
import { kindName } from './document-kind.ts';
import { broken, locked } from './unreadable.ts';
import { workbookSheets } from './workbook-sheets.ts';

/** Throws `Unreadable`, and errors of the library for a damaged workbook. */
export async function readXls(file: CompoundFile): Promise<string> {
  const stream = file.stream('Workbook') ?? file.stream('Book');
  // The library reads noise as an empty workbook and follows loops in a container: it gets only the records.
  if (stream === undefined || !areWholeRecords(stream)) throw broken(kindName('.xls'));
  if (file.stream('Workbook') === undefined) await useCodePages();
  return sheetsOf(stream)
    .map(({ text }) => text)
    .join('\n\n');
}

/** Excel 5 and 95 store letters in one of many code pages. */
async function useCodePages(): Promise<void> {
  set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
}

function sheetsOf(stream: Buffer) {
  try {
    return workbookSheets(stream);
  } catch (error) {
    throw error instanceof Error && /password|encrypt/i.test(error.message)
      ? locked(kindName('.xls'))
      : error;
  }
}

const BEGIN = 0x0809;
const END = 0x000a;
const HEAD_BYTES = 4;
/** Some programs fill the stream after the last part. */
const PADDING = 0;

/** True when there is at least one part, every part is closed, and nothing lies between them. */
function areWholeRecords(stream: Buffer): boolean {
  let depth = 0;
  let at = 0;
  while (at + HEAD_BYTES <= stream.length) {
    const kind = stream.readUInt16LE(at);
    if (depth === 0 && kind !== BEGIN) return at > 0 && kind === PADDING;
    if (kind === BEGIN) depth += 1;
    if (kind === END) depth -= 1;
    at += HEAD_BYTES + stream.readUInt16LE(at + 2);
  }
  return at > 0 && depth === 0 && at <= stream.length;
}

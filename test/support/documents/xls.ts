// Workbooks in the formats before 2007, for tests, written by the library that reads them, since there is no
// other writer.
import { type CellObject, utils, type WorkBook, write } from '@e965/xlsx';

interface XlsSheet {
  readonly name: string;
  /** By their addresses, such as `B3`. */
  readonly cells: Readonly<Record<string, CellObject>>;
  /** `A1:D9`. */
  readonly range: string;
  readonly merged?: readonly string[];
}

/** `biff8` since Excel 97, `biff5` in Excel 5 and 95. */
export function xlsOf(format: 'biff5' | 'biff8', sheets: readonly XlsSheet[]): Buffer {
  const book: WorkBook = utils.book_new();
  for (const { name, cells, range, merged = [] } of sheets) {
    utils.book_append_sheet(
      book,
      { ...cells, '!ref': range, '!merges': merged.map((it) => utils.decode_range(it)) },
      name,
    );
  }
  const bytes: unknown = write(book, { type: 'buffer', bookType: format });
  if (!Buffer.isBuffer(bytes)) throw new Error('The library writes buffers.');
  return format === 'biff5' ? withLetters(bytes) : bytes;
}

/** Replacements for letters of the Windows alphabet that the library writes as `_`. */
const LETTERS = [
  ['f_r', 'f\u00fcr'],
  ['K_se', 'K\u00e4se'],
  // A dash, which has another code in other alphabets.
  ['What _', 'What \u0096'],
] as const;

function withLetters(bytes: Buffer): Buffer {
  for (const [written, meant] of LETTERS) {
    const at = bytes.indexOf(written, 0, 'latin1');
    if (at >= 0) bytes.write(meant, at, 'latin1');
  }
  return bytes;
}

// A small writer of Word documents in the format before 2007, for tests, limited to the parts that are read.
import { compoundFileOf, u16, u32 } from './compound-file.ts';

export interface DocParts {
  /** Consecutive pieces. Those in `bytes` are Windows characters as latin1 strings. */
  readonly pieces: readonly { readonly text: string; readonly in: 'bytes' | 'utf16' }[];
  /** Letters in the text itself, in footnotes and so on, in the order of the format. Absent: all are text. */
  readonly lengths?: readonly number[];
  /** Formats of paragraphs and of letters, each for a range. */
  readonly paragraphs?: readonly DocRun[];
  readonly letters?: readonly DocRun[];
}

interface DocRun extends DocFormat {
  readonly begin: number;
  readonly end: number;
}

export interface DocFormat {
  /** The number of the style, for a paragraph. */
  readonly style?: number;
  /** The properties: their numbers and operands. */
  readonly says?: readonly (readonly [name: number, value: number, bytes: 1 | 2])[];
}

const TEXT_AT = 1_024;
const PAGE = 512;

export function docOf({ pieces, lengths, paragraphs = [], letters = [] }: DocParts): Buffer {
  const bodies = pieces.map((piece) => Buffer.from(piece.text, piece.in === 'bytes' ? 'latin1' : 'utf16le'));
  const places = bodies.map((_, index) => TEXT_AT + sum(bodies.slice(0, index).map(({ length }) => length)));
  const begins = pieces.map((_, index) => sum(pieces.slice(0, index).map(({ text }) => text.length)));
  const total = sum(pieces.map(({ text }) => text.length));
  const placeOf = (letter: number): number => {
    const index = begins.findLastIndex((begin) => begin <= letter);
    return (places[index] ?? 0) + (letter - (begins[index] ?? 0)) * (pieces[index]?.in === 'bytes' ? 1 : 2);
  };
  const textPages = Math.ceil(sum(bodies.map(({ length }) => length)) / PAGE);
  const firstPage = TEXT_AT / PAGE + textPages;

  const list = Buffer.concat([
    u32(...begins, total),
    ...pieces.map((piece, index) => {
      const place = places[index] ?? 0;
      return Buffer.concat([
        u16(0),
        u32(piece.in === 'bytes' ? ((place * 2) | 0x4000_0000) >>> 0 : place),
        u16(0),
      ]);
    }),
  ]);
  // Properties that are not read come before the list of pieces.
  const clx = Buffer.concat([Buffer.from([1, 2, 0, 7, 7]), Buffer.from([2]), u32(list.length), list]);
  const pages = u32(0, 0x7fff_ffff, firstPage);
  const letterPages = u32(0, 0x7fff_ffff, firstPage + 1);

  const head = Buffer.alloc(TEXT_AT);
  head.writeUInt16LE(0xa5ec);
  head.writeUInt16LE(0xc1, 2);
  head.writeUInt16LE(0x0200, 0x0a);
  for (const [index, length] of (lengths ?? [total]).entries()) head.writeUInt32LE(length, 0x4c + index * 4);
  const tables = [
    [0x1a2, clx],
    [0x102, pages],
    [0xfa, letterPages],
  ] as const;
  let at = 0;
  for (const [place, table] of tables) {
    head.writeUInt32LE(at, place);
    head.writeUInt32LE(table.length, place + 4);
    at += table.length;
  }
  const text = Buffer.concat(bodies, textPages * PAGE);
  const paragraphPage = pageOf(paragraphs, placeOf, (run) => {
    const said = Buffer.concat([u16(run.style ?? 0), sayings(run)]);
    return Buffer.concat([Buffer.from([0, Math.ceil(said.length / 2)]), said]);
  });
  const letterPage = pageOf(letters, placeOf, (run) => {
    const said = sayings(run);
    return Buffer.concat([Buffer.from([said.length]), said]);
  });
  return compoundFileOf({
    WordDocument: Buffer.concat([head, text, paragraphPage(13), letterPage(1)]),
    '1Table': Buffer.concat(tables.map(([, table]) => table)),
  });
}

/** Returns a document of Word 95: its letters are contiguous and have no properties. */
export function oldDocOf(text: string): Buffer {
  const head = Buffer.alloc(TEXT_AT);
  head.writeUInt16LE(0xa5ec);
  head.writeUInt16LE(0x68, 2);
  head.writeUInt32LE(TEXT_AT, 0x18);
  head.writeUInt32LE(text.length, 0x34);
  return compoundFileOf({
    WordDocument: Buffer.concat([head, Buffer.from(text, 'latin1'), Buffer.alloc(4_096)]),
  });
}

/** Returns a page: run positions, entries with places of formats, and the formats from the end backwards. */
function pageOf(
  runs: readonly DocRun[],
  placeOf: (letter: number) => number,
  formatOf: (run: DocRun) => Buffer,
): (entryBytes: number) => Buffer {
  return (entryBytes) => {
    const page = Buffer.alloc(PAGE);
    page.writeUInt8(runs.length, PAGE - 1);
    let at = PAGE - 2;
    for (const [index, run] of runs.entries()) {
      page.writeUInt32LE(placeOf(run.begin), index * 4);
      page.writeUInt32LE(placeOf(run.end), index * 4 + 4);
      const format = formatOf(run);
      at -= format.length + (format.length % 2);
      format.copy(page, at);
      page.writeUInt8(at / 2, (runs.length + 1) * 4 + index * entryBytes);
    }
    return page;
  };
}

function sayings({ says = [] }: DocRun): Buffer {
  return Buffer.concat(
    says.map(([name, value, bytes]) => Buffer.concat([u16(name), u16(value).subarray(0, bytes)])),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

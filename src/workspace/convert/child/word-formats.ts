// The formats of paragraphs and letters in an old Word document, by their place in the file. Pure.
import { type LetterRange, lastBegun } from './word-fields.ts';

export interface ParagraphFormat {
  /** 1 to 9 for a heading. */
  readonly heading: number | undefined;
  /** From 0, for an item of a list. */
  readonly listLevel: number | undefined;
  readonly isInTable: boolean;
  readonly endsRow: boolean;
}

export interface WordFormats {
  /** Returns the format of the paragraph that contains, or ends at, a place. */
  paragraphAt(place: number): ParagraphFormat;
  readonly hasDeletions: boolean;
  /** True when the letter was deleted while changes were recorded. */
  isDeleted(place: number): boolean;
}

interface Run<Format> extends LetterRange {
  readonly format: Format;
}

/** Where the document stores the places of its format tables. */
const LETTER_PAGES_AT = 0xfa;
const PARAGRAPH_PAGES_AT = 0x102;
const PAGE_BYTES = 512;
const PAGE_MASK = 0x3f_ffff;
const PARAGRAPH_ENTRY_BYTES = 13;
const HEADINGS = 9;
const PLAIN: ParagraphFormat = { heading: undefined, listLevel: undefined, isInTable: false, endsRow: false };
const SAYS = {
  style: 0x4600,
  level: 0x260a,
  list: 0x460b,
  inTable: 0x2416,
  endsRow: 0x2417,
  deleted: 0x0800,
} as const;
const LONG_TABLE = 0xd608;

/** A document from before Word 97 has its formats elsewhere, so everything is plain. */
export function wordFormats(document: Buffer, table: Buffer | undefined): WordFormats {
  if (table === undefined) return { paragraphAt: () => PLAIN, hasDeletions: false, isDeleted: () => false };
  const paragraphs = runsOf(
    pagesOf(document, table, PARAGRAPH_PAGES_AT),
    PARAGRAPH_ENTRY_BYTES,
    paragraphFormat,
  );
  const letters = runsOf(pagesOf(document, table, LETTER_PAGES_AT), 1, isDeletion).filter(
    ({ format }) => format,
  );
  return {
    paragraphAt: (place) => runAt(paragraphs, place)?.format ?? PLAIN,
    hasDeletions: letters.length > 0,
    isDeleted: (place) => runAt(letters, place) !== undefined,
  };
}

/** Returns each page once, whatever their list says. */
function pagesOf(document: Buffer, table: Buffer, at: number): readonly Buffer[] {
  const begin = document.readUInt32LE(at);
  const list = table.subarray(begin, begin + document.readUInt32LE(at + 4));
  const count = Math.max(Math.floor((list.length - 4) / 8), 0);
  const numbers = new Set(
    Array.from({ length: count }, (_, index) => list.readUInt32LE((count + 1 + index) * 4) & PAGE_MASK),
  );
  return [...numbers]
    .map((number) => document.subarray(number * PAGE_BYTES, (number + 1) * PAGE_BYTES))
    .filter(({ length }) => length === PAGE_BYTES);
}

/** A page has the places of its runs, then an entry for each that begins with the place of its format. */
function runsOf<Format>(
  pages: readonly Buffer[],
  entryBytes: number,
  formatOf: (bytes: Buffer) => Format,
): readonly Run<Format>[] {
  const runs: Run<Format>[] = [];
  for (const page of pages) {
    const count = page.readUInt8(PAGE_BYTES - 1);
    if ((count + 1) * 4 + count * entryBytes > PAGE_BYTES) continue;
    for (let index = 0; index < count; index++) {
      const place = page.readUInt8((count + 1) * 4 + index * entryBytes) * 2;
      const format = formatOf(place === 0 ? NOTHING : page.subarray(place, PAGE_BYTES - 1));
      runs.push({ begin: page.readUInt32LE(index * 4), end: page.readUInt32LE(index * 4 + 4), format });
    }
  }
  return runs.sort((a, b) => a.begin - b.begin);
}

const NOTHING = Buffer.alloc(0);

function runAt<Format>(runs: readonly Run<Format>[], place: number): Run<Format> | undefined {
  const run = lastBegun(runs, place);
  return run !== undefined && run.begin <= place && place < run.end ? run : undefined;
}

/**
 * The length precedes the format, in one byte or in the second of two. The number of the style comes first.
 */
function paragraphFormat(bytes: Buffer): ParagraphFormat {
  const first = bytes[0] ?? 0;
  const [at, length] = first === 0 ? [2, (bytes[1] ?? 0) * 2] : [1, first * 2 - 1];
  const said = bytes.subarray(at, at + length);
  if (said.length < 2) return PLAIN;
  const values = new Map([...sayings(said.subarray(2))].map(({ name, value }) => [name, value]));
  const style = values.get(SAYS.style) ?? said.readUInt16LE(0);
  return {
    heading: style >= 1 && style <= HEADINGS ? style : undefined,
    listLevel:
      (values.get(SAYS.list) ?? 0) === 0 ? undefined : Math.min(values.get(SAYS.level) ?? 0, HEADINGS - 1),
    isInTable: values.get(SAYS.inTable) === 1,
    endsRow: values.get(SAYS.endsRow) === 1,
  };
}

function isDeletion(bytes: Buffer): boolean {
  for (const { name, value } of sayings(bytes.subarray(1, 1 + (bytes[0] ?? 0))))
    if (name === SAYS.deleted) return value === 1;
  return false;
}

interface Saying {
  readonly name: number;
  /** A value of one or two bytes; 0 for anything longer. */
  readonly value: number;
}

function* sayings(bytes: Buffer): Generator<Saying> {
  for (let at = 0; at + 3 <= bytes.length; ) {
    const name = bytes.readUInt16LE(at);
    const size = sizeOf(name, bytes, at + 2);
    const isShort = size <= 2 && at + 2 + size <= bytes.length;
    yield { name, value: isShort ? bytes.readUIntLE(at + 2, size) : 0 };
    at += 2 + size;
  }
}

/** Given by the three highest bits of the name. */
const SIZES = [1, 1, 2, 4, 2, 2, 0, 3] as const;

function sizeOf(name: number, bytes: Buffer, at: number): number {
  const size = SIZES[name >>> 13] ?? 0;
  if (size > 0) return size;
  if (name === LONG_TABLE && at + 2 <= bytes.length) return bytes.readUInt16LE(at) + 1;
  return (bytes[at] ?? 0) + 1;
}

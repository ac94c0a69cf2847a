// The letters of an old Word document, which lie in pieces across the file. Pure.
import { type LetterRange, lastBegun } from './word-fields.ts';

export interface WordText {
  readonly letters: string;
  /** The ranges of the main text, footnotes, endnotes and text boxes. */
  readonly ranges: readonly LetterRange[];
  /** Returns the place of a letter in the file. */
  placeOf(letter: number): number;
}

interface Piece extends LetterRange {
  readonly place: number;
  readonly letterBytes: 1 | 2;
}

const VERSION_AT = 0x02;
const FIRST_WITH_UNICODE = 0xc1;
/** In Word 6 and 95: the place and the length of the text. */
const OLD = { text: 0x18, length: 0x34 } as const;
const LENGTHS_AT = 0x4c;
/** Kinds of text in order: main, footnotes, headers, macros, comments, endnotes, boxes, header boxes. */
const KINDS = 8;
const SHOWN_PARTS = [0, 1, 5, 6] as const;
const PIECES_AT = 0x1a2;
const FORMATS = 1;
const PIECE_BYTES = 8;
const IS_ONE_BYTE = 0x4000_0000;

/** Returns `undefined` when the document does not locate its text. `table` is the stream beside it. */
export function wordText(document: Buffer, table: Buffer | undefined): WordText | undefined {
  if (document.length < PIECES_AT + 8) return undefined;
  if (document.readUInt16LE(VERSION_AT) < FIRST_WITH_UNICODE) return oldText(document);
  const pieces = table === undefined ? [] : piecesOf(document, table);
  if (pieces.length === 0) return undefined;
  const lengths = Array.from({ length: KINDS }, (_, index) => document.readUInt32LE(LENGTHS_AT + index * 4));
  const begins = lengths.map((_, index) => lengths.slice(0, index).reduce((sum, it) => sum + it, 0));
  const ranges = SHOWN_PARTS.map((index) => ({
    begin: begins[index] ?? 0,
    end: (begins[index] ?? 0) + (lengths[index] ?? 0),
  }));
  return {
    letters: pieces.map((piece) => lettersOf(document, piece)).join(''),
    ranges,
    placeOf: (letter) => placeOf(pieces, letter),
  };
}

function oldText(document: Buffer): WordText {
  const begin = document.readUInt32LE(OLD.text);
  const body = document.readUInt32LE(OLD.length);
  const letters = windowsText(document.subarray(begin, begin + body));
  return { letters, ranges: [{ begin: 0, end: body }], placeOf: (letter) => begin + letter };
}

/** All pieces together are no longer than the file: a hostile document has the same piece a million times. */
function piecesOf(document: Buffer, table: Buffer): readonly Piece[] {
  const list = pieceList(table.subarray(document.readUInt32LE(PIECES_AT)));
  const count = Math.floor((list.length - 4) / (4 + PIECE_BYTES));
  const pieces: Piece[] = [];
  let bytesLeft = document.length;
  for (let index = 0; index < count; index++) {
    const begin = list.readUInt32LE(index * 4);
    const said = list.readUInt32LE((count + 1) * 4 + index * PIECE_BYTES + 2);
    const letterBytes = (said & IS_ONE_BYTE) === 0 ? 2 : 1;
    const place = letterBytes === 2 ? said : (said & ~IS_ONE_BYTE) >>> 1;
    const end = list.readUInt32LE((index + 1) * 4);
    bytesLeft -= (end - begin) * letterBytes;
    if (end < begin || bytesLeft < 0 || place + (end - begin) * letterBytes > document.length) break;
    pieces.push({ begin, end, place, letterBytes });
  }
  return pieces;
}

/** Skips the formats before the list, which are not read. */
function pieceList(table: Buffer): Buffer {
  let at = 0;
  while (table[at] === FORMATS && at + 3 <= table.length) at += 3 + table.readUInt16LE(at + 1);
  if (at + 5 > table.length) return Buffer.alloc(0);
  return table.subarray(at + 5, at + 5 + table.readUInt32LE(at + 1));
}

function lettersOf(document: Buffer, { begin, end, place, letterBytes }: Piece): string {
  const bytes = document.subarray(place, place + (end - begin) * letterBytes);
  return letterBytes === 1 ? windowsText(bytes) : bytes.toString('utf16le');
}

/** Decodes each byte as one letter. */
export function windowsText(bytes: Buffer): string {
  return new TextDecoder('windows-1252').decode(bytes);
}

function placeOf(pieces: readonly Piece[], letter: number): number {
  const piece = lastBegun(pieces, letter);
  return piece === undefined ? -1 : piece.place + (letter - piece.begin) * piece.letterBytes;
}

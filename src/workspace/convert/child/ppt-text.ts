// The texts of old presentations: letters, then the levels of paragraphs, links, and fields to fill in. Pure.
import { childOf, numberIn, type PptRecord } from './ppt-records.ts';
import type { Paragraph } from './slide-markdown.ts';

export interface PptText {
  /** The purpose of the text. */
  readonly use: number;
  readonly paragraphs: readonly Paragraph[];
}

export const NOTES_TEXT = 2;
const HEADER = 3999;
const UTF16 = 4000;
const LOW_BYTES = 4008;
const STYLES = 4001;
const LINK = 4082;
const LINK_ATOM = 4083;
const LINK_ID_AT = 4;
const LINK_RANGE = 4063;
/** Slide numbers, dates, headers and footers, each of which is one letter in a text. */
const FILLED_IN: ReadonlySet<number> = new Set([4056, 4087, 4088, 4089, 4090, 4117]);
const ADDRESS = /^(?:https?|ftp|mailto|file):/i;
const PARAGRAPH_END = '\r';
const LINE_END = /[\v\n]/g;

interface Range {
  readonly begin: number;
  readonly end: number;
}

interface LinkedRange extends Range {
  readonly target: string;
}

interface Draft {
  readonly use: number;
  letters: string;
  styles: Buffer | undefined;
  target: string | undefined;
  readonly links: LinkedRange[];
  readonly gaps: Set<number>;
}

/** Each text begins with its header. */
export function pptTexts(
  records: Iterable<PptRecord>,
  targets: ReadonlyMap<number, string>,
): readonly PptText[] {
  const drafts: Draft[] = [];
  for (const record of records) {
    if (record.kind === HEADER) drafts.push(newDraft(numberIn(record, 0)));
    const draft = drafts.at(-1);
    if (draft !== undefined) note(record, draft, targets);
  }
  return drafts.map(textOf);
}

function newDraft(use: number): Draft {
  return { use, letters: '', styles: undefined, target: undefined, links: [], gaps: new Set() };
}

function note(record: PptRecord, draft: Draft, targets: ReadonlyMap<number, string>): void {
  if (FILLED_IN.has(record.kind)) draft.gaps.add(numberIn(record, 0));
  switch (record.kind) {
    case UTF16:
      draft.letters = record.content.toString('utf16le');
      return;
    case LOW_BYTES:
      draft.letters = record.content.toString('latin1');
      return;
    case STYLES:
      draft.styles = record.content;
      return;
    case LINK:
      draft.target = targets.get(numberIn(childOf(record, LINK_ATOM), LINK_ID_AT));
      return;
    case LINK_RANGE: {
      const { target } = draft;
      const range = { begin: numberIn(record, 0), end: numberIn(record, 4) };
      const isAfter = range.begin >= (draft.links.at(-1)?.end ?? 0) && range.end > range.begin;
      if (target !== undefined && ADDRESS.test(target) && isAfter) draft.links.push({ ...range, target });
      return;
    }
    default:
  }
}

function textOf({ use, letters, styles, links, gaps }: Draft): PptText {
  const levelAt = paragraphLevels(styles, letters.length);
  const lengths = letters.split(PARAGRAPH_END).map(({ length }) => length + PARAGRAPH_END.length);
  let begin = 0;
  const paragraphs = withLinks(withoutLetters(letters, gaps), links)
    .split(PARAGRAPH_END)
    .map((text, index) => {
      const level = levelAt(begin);
      begin += lengths[index] ?? 0;
      return { text: text.replace(LINE_END, ' ').trim(), level };
    });
  return { use, paragraphs };
}

/** Replaces them by spaces, so that ranges still fit. */
function withoutLetters(letters: string, gaps: ReadonlySet<number>): string {
  return letters.replace(/\*/g, (letter, at: number) => (gaps.has(at) ? ' ' : letter));
}

/** Omits links that span paragraphs, which Markdown does not have. */
function withLinks(letters: string, links: readonly LinkedRange[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { begin, end: said, target } of links) {
    // Some programs include the end of the paragraph.
    const end = letters[said - 1] === PARAGRAPH_END ? said - 1 : said;
    const words = letters.slice(begin, end);
    if (words.trim() === '' || words.includes(PARAGRAPH_END)) continue;
    pieces.push(letters.slice(at, begin), `[${words.trim()}](${target.replace(/\s/g, '%20')})`);
    at = end;
  }
  return pieces.join('') + letters.slice(at);
}

/** Returns the level of the letter at a position. Callers ask for positions in ascending order. */
type LevelAt = (letter: number) => number;

interface Run {
  /** The position after the last letter. */
  readonly end: number;
  readonly level: number;
}

const RUN_BYTES = 6;
/** A run has a field when one of these bits is set. The field has this many bytes. */
const FIELDS_BEFORE_TABS: readonly (readonly [bits: number, bytes: number])[] = [
  [0x0f, 2],
  [0x80, 2],
  [0x10, 2],
  [0x40, 2],
  [0x20, 4],
  [0x800, 2],
  [0x1000, 2],
  [0x2000, 2],
  [0x4000, 2],
  [0x100, 2],
  [0x400, 2],
  [0x8000, 2],
];
const TABS = 0x100000;
const TAB_BYTES = 4;
const FIELDS_BEHIND_TABS = [
  [0x10000, 2],
  [0xe0000, 2],
  [0x200000, 2],
] as const;

/** Returns the list levels of paragraphs; 0 where `styles` has none. `letters` is the text's length. */
function paragraphLevels(styles: Buffer | undefined, letters: number): LevelAt {
  const runs = styles === undefined ? [] : runsOf(styles, letters);
  let at = 0;
  return (letter) => {
    while ((runs[at]?.end ?? Number.POSITIVE_INFINITY) <= letter) at += 1;
    return runs[at]?.level ?? 0;
  };
}

function runsOf(styles: Buffer, letters: number): readonly Run[] {
  const runs: Run[] = [];
  let end = 0;
  for (let at = 0; end <= letters && at + RUN_BYTES + 4 <= styles.length; ) {
    end += styles.readUInt32LE(at);
    runs.push({ end, level: styles.readUInt16LE(at + 4) });
    at = behindFields(styles, at + RUN_BYTES);
  }
  return runs;
}

function behindFields(styles: Buffer, at: number): number {
  const mask = styles.readUInt32LE(at);
  const tabs = at + 4 + sizeOf(mask, FIELDS_BEFORE_TABS);
  if ((mask & TABS) === 0 || tabs + 2 > styles.length) return tabs + sizeOf(mask, FIELDS_BEHIND_TABS);
  return tabs + 2 + styles.readUInt16LE(tabs) * TAB_BYTES + sizeOf(mask, FIELDS_BEHIND_TABS);
}

function sizeOf(mask: number, fields: readonly (readonly [bits: number, bytes: number])[]): number {
  return fields.reduce((sum, [bits, bytes]) => sum + ((mask & bits) === 0 ? 0 : bytes), 0);
}

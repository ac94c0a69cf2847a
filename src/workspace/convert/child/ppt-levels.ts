// How deep the paragraphs of an old presentation stand in their lists. Pure.

/** Of the letter at a place; places are asked in their order. */
export type LevelAt = (letter: number) => number;

interface Run {
  /** The letter behind it. */
  readonly end: number;
  readonly level: number;
}

const RUN_BYTES = 6;
/** Fields of a run are there when one of their bits is set; this many bytes each. */
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

/** 0 wherever `styles` says nothing. `letters` is the length of the text. */
export function paragraphLevels(styles: Buffer | undefined, letters: number): LevelAt {
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

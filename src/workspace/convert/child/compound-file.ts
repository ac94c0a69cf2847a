// The container of the old office formats: a small file system in a file, with streams by name. Pure.

export interface CompoundFile {
  /** The streams at the top. Embedded documents lie below. */
  readonly names: readonly string[];
  /**
   * Never longer than the file, whatever size it declares. A damaged stream ends early. `undefined`: no
   * stream of that name at the top.
   */
  stream(name: string): Buffer | undefined;
}

const HEADER = {
  shift: 0x1e,
  directory: 0x30,
  cutoff: 0x38,
  miniFat: 0x3c,
  difat: 0x44,
  fats: 0x4c,
} as const;
const HEADER_BYTES = 512;
const SHIFTS: readonly number[] = [9, 12];
const MINI_BYTES = 64;
/** Numbers from here on are not sectors, but mark free ones, the end, or parts of the table itself. */
const NO_SECTOR = 0xffff_fffa;
const ENTRY = {
  bytes: 128,
  name: 64,
  type: 66,
  left: 68,
  right: 72,
  child: 76,
  start: 116,
  size: 120,
} as const;
const STREAM = 2;
const ROOT = 5;
const NO_ENTRY = 0xffff_ffff;

interface Entry {
  readonly name: string;
  readonly type: number;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

/** Never throws. A damaged file has fewer streams, or none. */
export function compoundFile(bytes: Buffer): CompoundFile {
  const sectors = sectorsOf(bytes);
  if (sectors === undefined) return { names: [], stream: () => undefined };
  const entries = entriesIn(sectors.chain(bytes.readUInt32LE(HEADER.directory)));
  const root = entries.find(({ type }) => type === ROOT);
  const streams = topStreams(entries, root);
  const cutoff = bytes.readUInt32LE(HEADER.cutoff);
  return {
    names: [...streams.keys()],
    stream(name) {
      const entry = streams.get(name);
      if (entry === undefined) return undefined;
      if (entry.size >= cutoff || root === undefined)
        return sectors.chain(entry.start).subarray(0, entry.size);
      return miniStream(entry, {
        store: sectors.chain(root.start).subarray(0, root.size),
        table: sectors.chain(bytes.readUInt32LE(HEADER.miniFat)),
      });
    },
  };
}

function sectorsOf(bytes: Buffer) {
  const shift = bytes.length < HEADER_BYTES ? 0 : bytes.readUInt16LE(HEADER.shift);
  if (!SHIFTS.includes(shift)) return undefined;
  const size = 1 << shift;
  const perSector = size / 4;
  const count = Math.ceil(bytes.length / size);
  const sector = (number: number): Buffer => bytes.subarray((number + 1) * size, (number + 2) * size);
  const numberAt = (number: number, index: number): number => {
    const place = sector(number);
    return index * 4 + 4 <= place.length ? place.readUInt32LE(index * 4) : NO_SECTOR;
  };
  /** The sectors of the table that links sectors. Further ones are listed in sectors of their own. */
  const fats = Array.from({ length: (HEADER_BYTES - HEADER.fats) / 4 }, (_, index) =>
    bytes.readUInt32LE(HEADER.fats + index * 4),
  );
  let list = bytes.readUInt32LE(HEADER.difat);
  for (let lists = 0; list < NO_SECTOR && lists * perSector < count; lists++) {
    for (let index = 0; index < perSector - 1; index++) fats.push(numberAt(list, index));
    list = numberAt(list, perSector - 1);
  }
  return {
    /** Returns the contents of the chain of sectors that begins at `start`. A chain with a loop ends. */
    chain(start: number): Buffer {
      const pieces: Buffer[] = [];
      for (let at = start; at < NO_SECTOR && pieces.length < count; ) {
        pieces.push(sector(at));
        at = numberAt(fats[Math.floor(at / perSector)] ?? NO_SECTOR, at % perSector);
      }
      return Buffer.concat(pieces);
    },
  };
}

function entriesIn(directory: Buffer): readonly Entry[] {
  return Array.from({ length: Math.floor(directory.length / ENTRY.bytes) }, (_, index) => {
    const bytes = directory.subarray(index * ENTRY.bytes, (index + 1) * ENTRY.bytes);
    const nameBytes = Math.min(Math.max(bytes.readUInt16LE(ENTRY.name) - 2, 0), ENTRY.name);
    return {
      name: bytes.toString('utf16le', 0, nameBytes),
      type: bytes[ENTRY.type] ?? 0,
      left: bytes.readUInt32LE(ENTRY.left),
      right: bytes.readUInt32LE(ENTRY.right),
      child: bytes.readUInt32LE(ENTRY.child),
      start: bytes.readUInt32LE(ENTRY.start),
      size: bytes.readUInt32LE(ENTRY.size),
    };
  });
}

/** The entries of a folder form a tree. If that is damaged, returns all streams of the file. */
function topStreams(entries: readonly Entry[], root: Entry | undefined): ReadonlyMap<string, Entry> {
  const top: Entry[] = [];
  const seen = new Set<number>();
  const waiting = [root?.child ?? NO_ENTRY];
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const entry = entries[index];
    if (entry === undefined || seen.has(index)) continue;
    seen.add(index);
    top.push(entry);
    waiting.push(entry.left, entry.right);
  }
  const streams = top.filter(({ type }) => type === STREAM);
  const kept = streams.length > 0 ? streams : entries.filter(({ type }) => type === STREAM);
  return new Map(kept.map((entry) => [entry.name, entry]));
}

/** Small streams share the sectors of one stream. */
function miniStream(
  { start, size }: Entry,
  { store, table }: { readonly store: Buffer; readonly table: Buffer },
): Buffer {
  const pieces: Buffer[] = [];
  for (let at = start; at * MINI_BYTES < store.length && pieces.length * MINI_BYTES < size; ) {
    pieces.push(store.subarray(at * MINI_BYTES, (at + 1) * MINI_BYTES));
    if (at * 4 + 4 > table.length) break;
    at = table.readUInt32LE(at * 4);
  }
  return Buffer.concat(pieces).subarray(0, size);
}

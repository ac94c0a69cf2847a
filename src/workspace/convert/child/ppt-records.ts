// The records of an old presentation: each has a kind and a length, and some contain others. Pure.

export interface PptRecord {
  readonly kind: number;
  /** Distinguishes records of one kind. */
  readonly instance: number;
  /** Where it begins in the bytes that it was read from. */
  readonly at: number;
  readonly content: Buffer;
  readonly holdsRecords: boolean;
}

const HEAD_BYTES = 8;
const CONTAINER = 0xf;
const INSTANCE_SHIFT = 4;

/** A record that extends beyond the bytes is cut there. Returns `undefined` where no record begins. */
export function recordAt(bytes: Buffer, at: number): PptRecord | undefined {
  if (at < 0 || at + HEAD_BYTES > bytes.length) return undefined;
  const head = bytes.readUInt16LE(at);
  const begin = at + HEAD_BYTES;
  return {
    kind: bytes.readUInt16LE(at + 2),
    instance: head >> INSTANCE_SHIFT,
    at,
    content: bytes.subarray(begin, begin + bytes.readUInt32LE(at + 4)),
    holdsRecords: (head & CONTAINER) === CONTAINER,
  };
}

/** Yields the adjacent records. */
export function* recordsIn(bytes: Buffer): Generator<PptRecord> {
  let record = recordAt(bytes, 0);
  while (record !== undefined) {
    yield record;
    record = recordAt(bytes, record.at + HEAD_BYTES + record.content.length);
  }
}

/** Returns the first record of that kind, and of that instance if one is given; `undefined` without a parent. */
export function childOf(
  parent: PptRecord | undefined,
  kind: number,
  instance?: number,
): PptRecord | undefined {
  if (parent?.holdsRecords !== true) return undefined;
  for (const record of recordsIn(parent.content))
    if (record.kind === kind && (instance === undefined || record.instance === instance)) return record;
  return undefined;
}

/** Returns the number at an offset of the content; 0 when the content is too short. */
export function numberIn(record: PptRecord | undefined, at: number): number {
  return record === undefined || at + 4 > record.content.length ? 0 : record.content.readUInt32LE(at);
}

/** Returns the content as text; empty without a record. */
export function textIn(record: PptRecord | undefined): string {
  return record?.content.toString('utf16le') ?? '';
}

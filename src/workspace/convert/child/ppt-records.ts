// The records of an old presentation: each has a kind and a length, and some contain others. Pure.

export interface PptRecord {
  readonly kind: number;
  /** Distinguishes records of one kind. */
  readonly instance: number;
  /** The range of its content in the stream. */
  readonly begin: number;
  readonly end: number;
  readonly holdsRecords: boolean;
}

const HEAD_BYTES = 8;
const CONTAINER = 0xf;
const INSTANCE_SHIFT = 4;

/** A record that extends beyond `end` is cut there. Returns `undefined` where no record begins. */
export function recordAt(stream: Buffer, at: number, end = stream.length): PptRecord | undefined {
  if (at < 0 || at + HEAD_BYTES > end) return undefined;
  const head = stream.readUInt16LE(at);
  const begin = at + HEAD_BYTES;
  return {
    kind: stream.readUInt16LE(at + 2),
    instance: head >> INSTANCE_SHIFT,
    begin,
    end: Math.min(begin + stream.readUInt32LE(at + 4), end),
    holdsRecords: (head & CONTAINER) === CONTAINER,
  };
}

/** Yields the adjacent records in a part of the stream. */
export function* recordsIn(
  stream: Buffer,
  { begin, end }: { readonly begin: number; readonly end: number },
): Generator<PptRecord> {
  for (let at = begin; ; ) {
    const record = recordAt(stream, at, end);
    if (record === undefined) return;
    yield record;
    at = record.end;
  }
}

/** Returns the first record of that kind in the parent; `undefined` without a parent. */
export function childOf(stream: Buffer, parent: PptRecord | undefined, kind: number): PptRecord | undefined {
  if (parent?.holdsRecords !== true) return undefined;
  for (const record of recordsIn(stream, parent)) if (record.kind === kind) return record;
  return undefined;
}

/** Returns the content of the record. */
export function bytesOf(stream: Buffer, { begin, end }: PptRecord): Buffer {
  return stream.subarray(begin, end);
}

/** Returns the number at an offset of the content; 0 when the content is too short. */
export function numberIn(stream: Buffer, record: PptRecord | undefined, at: number): number {
  if (record === undefined || record.begin + at + 4 > record.end) return 0;
  return stream.readUInt32LE(record.begin + at);
}

// The records of an old presentation: each has a kind and a length, and some hold others. Pure.

export interface PptRecord {
  readonly kind: number;
  /** Tells records of one kind apart. */
  readonly instance: number;
  /** Of what it holds, in the stream. */
  readonly begin: number;
  readonly end: number;
  readonly holdsRecords: boolean;
}

const HEAD_BYTES = 8;
const CONTAINER = 0xf;
const INSTANCE_SHIFT = 4;

/** One whose length goes beyond `end` ends there; `undefined` where none begins. */
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

/** Those that lie side by side in a part of the stream. */
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

/** The first one of that kind inside of another, or of nothing. */
export function childOf(stream: Buffer, parent: PptRecord | undefined, kind: number): PptRecord | undefined {
  if (parent?.holdsRecords !== true) return undefined;
  for (const record of recordsIn(stream, parent)) if (record.kind === kind) return record;
  return undefined;
}

/** What it holds. */
export function bytesOf(stream: Buffer, { begin, end }: PptRecord): Buffer {
  return stream.subarray(begin, end);
}

/** The number at a place of what it holds; 0 where it is too short. */
export function numberIn(stream: Buffer, record: PptRecord | undefined, at: number): number {
  if (record === undefined || record.begin + at + 4 > record.end) return 0;
  return stream.readUInt32LE(record.begin + at);
}

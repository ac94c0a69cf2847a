// Whether the bytes of an old workbook are one: records, each with its kind and length, in parts that begin and end. Pure.

const BEGIN = 0x0809;
const END = 0x000a;
const HEAD_BYTES = 4;
/** Behind the last part, some programs fill up the stream. */
const PADDING = 0;

/** At least one part, every one of them closed, and nothing between them. */
export function areWholeRecords(stream: Buffer): boolean {
  let depth = 0;
  let at = 0;
  while (at + HEAD_BYTES <= stream.length) {
    const kind = stream.readUInt16LE(at);
    if (depth === 0 && kind !== BEGIN) return at > 0 && kind === PADDING;
    if (kind === BEGIN) depth += 1;
    if (kind === END) depth -= 1;
    at += HEAD_BYTES + stream.readUInt16LE(at + 2);
  }
  return at > 0 && depth === 0 && at <= stream.length;
}

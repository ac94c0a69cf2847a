// The lines of a file that comes in pieces, as bytes, none longer than a limit.
import { refusedPackage } from './refused-package.ts';

const LINE_BREAK = 0x0a;

/** A line break at the end begins no line. Throws `validation_failed` for a longer line. */
export async function* readLines(
  pieces: AsyncIterable<Uint8Array>,
  { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
): AsyncGenerator<Uint8Array> {
  let gathered: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    let start = 0;
    for (let end = piece.indexOf(LINE_BREAK); end !== -1; end = piece.indexOf(LINE_BREAK, start)) {
      if (size + end - start > maxBytes) throw tooLong(name, maxBytes);
      yield Buffer.concat([...gathered, piece.subarray(start, end)]);
      gathered = [];
      size = 0;
      start = end + 1;
    }
    const rest = piece.subarray(start);
    size += rest.length;
    if (size > maxBytes) throw tooLong(name, maxBytes);
    if (rest.length > 0) gathered.push(rest);
  }
  if (size > 0) yield Buffer.concat(gathered);
}

function tooLong(name: string, maxBytes: number) {
  return refusedPackage(`A line of ${name} is longer than ${Math.floor(maxBytes / 1_048_576)} MB.`);
}

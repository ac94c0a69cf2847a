// Parses texts of a package, which may be tens of megabytes long. A package is always refused with a sentence
// that names the defect and its place.
import { type ServiceError, validationFailed } from '../errors.ts';
import { parseInSlices } from '../json/sliced-json.ts';
import type { Json } from '../messages/message.ts';

export function refusedPackage(sentence: string): ServiceError {
  return validationFailed(['body'], sentence, 'package_invalid');
}

const MAX_VALUES = 1_000_000;
const MAX_DEEP_BYTES = 524_288;

/** Parses JSON. Throws `validation_failed` with a sentence that begins with `where`. */
export async function parsePackageJson(
  bytes: Uint8Array,
  where: string,
  maxValues = MAX_VALUES,
): Promise<Json> {
  try {
    return await parseInSlices(bytes, { maxValues, maxDeepBytes: MAX_DEEP_BYTES });
  } catch (error) {
    throw refusedPackage(`${where}: ${error instanceof Error ? error.message : 'it is no JSON.'}`);
  }
}

const LINE_BREAK = 0x0a;

/**
 * Yields the lines; a line break at the end starts no further line. Throws `validation_failed` for a line
 * longer than `maxBytes`.
 */
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

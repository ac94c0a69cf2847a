// Parses texts of a package, which may be tens of megabytes long. A package is always refused with a sentence
// that names the defect and its place.
import type { z } from 'zod';
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

/** Parses a value with the schema. Throws `validation_failed` with a sentence that begins with `where`. */
export function parsedPackage<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  where: string,
): z.output<Schema> {
  const { data, error } = schema.safeParse(value);
  if (error === undefined) return data;
  const [issue] = error.issues;
  throw refusedPackage(`${where}: ${issue?.path.join('.')} ${issue?.message}.`);
}

/** A file of lines in a package. */
export interface LinesFile {
  readonly name: string;
  /** Reads from the beginning on every call. */
  read(): AsyncGenerator<Uint8Array>;
}

export interface PackageText {
  readonly bytes: Uint8Array;
  /** From 1. */
  readonly number: number;
  /** The file and the number, for sentences. */
  readonly where: string;
}

/** Returns the value as a line of a package. */
export function jsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

const LINE_BREAK = 0x0a;

/**
 * Yields the lines; a line break at the end starts no further line. Throws `validation_failed` for a line
 * longer than `maxBytes`.
 */
export async function* readLines(
  { name, read }: LinesFile,
  maxBytes: number,
): AsyncGenerator<PackageText, void> {
  let number = 0;
  let gathered: Uint8Array[] = [];
  let size = 0;
  const lineOf = (bytes: Uint8Array): PackageText => {
    number += 1;
    return { bytes, number, where: `${name}, line ${number}` };
  };
  for await (const piece of read()) {
    let start = 0;
    for (let end = piece.indexOf(LINE_BREAK); end !== -1; end = piece.indexOf(LINE_BREAK, start)) {
      if (size + end - start > maxBytes) throw tooLong(name, maxBytes);
      yield lineOf(Buffer.concat([...gathered, piece.subarray(start, end)]));
      gathered = [];
      size = 0;
      start = end + 1;
    }
    const rest = piece.subarray(start);
    size += rest.length;
    if (size > maxBytes) throw tooLong(name, maxBytes);
    if (rest.length > 0) gathered.push(rest);
  }
  if (size > 0) yield lineOf(Buffer.concat(gathered));
}

function tooLong(name: string, maxBytes: number) {
  return refusedPackage(`A line of ${name} is longer than ${Math.floor(maxBytes / 1_048_576)} MB.`);
}

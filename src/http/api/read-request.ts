// The only place that reads requests: queries, and bodies limited in size and media type.

import { z } from 'zod';
import { ServiceError, validationFailed } from '../../errors.ts';
import { MAX_VALUES } from '../../json/json-text.ts';
import { parseInSlices } from '../../json/sliced-json.ts';
import type { Json } from '../../messages/message.ts';
import type { AppContext } from './context.ts';

const JSON_TYPE = /^application\/(?:[a-z0-9.-]+\+)?json$/;
const FORM_TYPES = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)$/;
/** Only sign-in forms are read here. Files have their own reader. */
const MAX_FORM_BYTES = 65_536;
/** Deeply nested values are parsed in one step rather than refused. `max_json_bytes` limits their size. */
const JSON_LIMITS = { maxValues: MAX_VALUES, maxDeepBytes: Number.POSITIVE_INFINITY };

/**
 * Returns the JSON body, or `undefined` if there is none. Throws `payload_too_large` before or while reading,
 * `unsupported_media_type` for another content type (a missing one counts as JSON), and `validation_failed`
 * for invalid JSON.
 *
 * With an API key, any type is accepted, because passthroughs drop or change it. With a cookie, the types
 * that a page of another site can send without a preflight request are refused.
 */
export async function readJson(c: AppContext, maxBytes: number): Promise<Json | undefined> {
  if (c.var.credential?.kind === 'api_key') refusePacked(c);
  else requireType(c, JSON_TYPE);
  const bytes = await readBytes(c, maxBytes);
  return bytes.length === 0 ? undefined : parseInSlices(bytes, JSON_LIMITS);
}

/**
 * Returns the text fields of a form. If a field occurs twice, the last one counts. Throws as `readJson` does.
 */
export async function readForm(c: AppContext): Promise<Readonly<Record<string, string>>> {
  requireType(c, FORM_TYPES);
  const bytes = await readBytes(c, MAX_FORM_BYTES);
  if (bytes.length === 0) return {};
  const fields = [...(await parseForm(bytes, c.req.header('content-type') ?? ''))];
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** Throws `unsupported_media_type` for a compressed body, whose size is unknown until it is decompressed. */
export function refusePacked(c: AppContext): void {
  const encoding = c.req.header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return;
  throw new ServiceError('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
}

/** Throws `unsupported_media_type` for other types. Also accepts no type and `application/octet-stream`. */
export function requireContentType(c: AppContext, contentType: string): void {
  refusePacked(c);
  const type = c.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === undefined || type === contentType || type === 'application/octet-stream') return;
  throw new ServiceError('unsupported_media_type', `This route accepts bodies of the type ${contentType}.`);
}

function requireType(c: AppContext, expected: RegExp): void {
  refusePacked(c);
  const header = c.req.header('content-type');
  if (header === undefined) return;
  const type = header.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (expected.test(type)) return;
  throw new ServiceError('unsupported_media_type', 'This route does not accept bodies of this content type.');
}

/** Returns the body. Throws `payload_too_large`, and `invalid` for one that breaks off. */
export async function readBytes(c: AppContext, maxBytes: number): Promise<Uint8Array> {
  const declared = c.req.header('content-length');
  if (declared !== undefined && Number(declared) > maxBytes) throw tooLarge(maxBytes);
  try {
    // The server enforces a declared length, so only an undeclared one must be counted while reading.
    if (declared !== undefined && c.env?.incoming !== undefined) {
      return new Uint8Array(await c.req.raw.arrayBuffer());
    }
    return await collect(c.req.raw.body, maxBytes);
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError('invalid', 'The request body could not be read.', { cause: error });
  }
}

async function collect(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function parseForm(bytes: Uint8Array, contentType: string): Promise<FormData> {
  try {
    return await new Response(Uint8Array.from(bytes), {
      headers: { 'content-type': contentType },
    }).formData();
  } catch {
    throw validationFailed(['body'], 'The body is not a valid form.', 'form_invalid');
  }
}

function tooLarge(maxBytes: number): ServiceError {
  return new ServiceError('payload_too_large', `The request body is larger than ${maxBytes} bytes.`);
}

type QueryValues = Readonly<Record<string, string | readonly string[]>>;

/** Returns query parameters as an object. A single value is a string, a repeated one a list. */
export function readQuery(c: AppContext): QueryValues {
  const parameters = new URLSearchParams(c.var.target.query);
  const names = new Set(parameters.keys());
  return Object.fromEntries(
    [...names].map((name) => {
      const values = parameters.getAll(name);
      const [only] = values;
      return [name, values.length === 1 && only !== undefined ? only : values];
    }),
  );
}

/**
 * Returns the fields that the body sets and its schema reads. `null` counts as absent, except for the keys in
 * `nullable`. Fields that the schema ignores are not even enumerated: tens of thousands of them would delay
 * all requests.
 */
export function givenFields(
  body: object,
  schema: z.ZodType,
  nullable: readonly string[] | undefined,
): Record<string, unknown> {
  const fields = ignoresOthers(schema) ? fieldsAmong(schema.shape, body) : Object.entries(body);
  return Object.fromEntries(
    fields.filter(([key, value]) => value !== null || nullable?.includes(key) === true),
  );
}

function ignoresOthers(schema: z.ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && schema.def.catchall === undefined;
}

function fieldsAmong(shape: object, body: object): [string, unknown][] {
  const known = Object.keys(shape).filter((key) => Object.hasOwn(body, key));
  return known.map((key) => [key, Reflect.get(body, key)]);
}

// Reads the files of a multipart form one by one as they arrive, without holding them in memory.
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { invalid, ServiceError } from '../../errors.ts';
import type { AppContext } from '../api/context.ts';
import { refusePacked } from '../api/read-request.ts';
import { arrivingFile, brokenForm } from './arriving-file.ts';

export interface FormFile {
  /** The name as the client wrote it, including folders. */
  readonly name: string;
  /** Each piece is valid until the reader requests the next one. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** Captures the boundary: 1 to 70 characters, quoted if it is not a token (RFC 2046). */
const MULTIPART =
  /^multipart\/form-data\s*;(?:[^"]*;)?\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
/**
 * Maximum number of fields beside the files. They are read and discarded unless the caller passes `onField`.
 */
const MAX_FIELDS = 50;
const LIMITS = {
  fields: MAX_FIELDS,
  fieldSize: 65_536,
  fieldNameSize: 256,
  headerPairs: 100,
  headerSize: 16_384,
};
const HELD_BYTES = 262_144;

interface ExpectedFiles {
  /** The form field of all files. */
  readonly field: string;
  /** The reader refuses more files. Parsing stops for a form with far more parts. */
  readonly maxFiles: number;
  /** Called with each text field as it arrives. */
  readonly onField?: (name: string, value: string) => void;
}

/**
 * Yields the files. The caller reads the pieces of a file before requesting the next file. Throws
 * `unsupported_media_type` for another content type. While reading, throws `invalid` for a form that breaks
 * off or has files in other fields, and `payload_too_large` for one with more parts than `maxFiles` files and
 * 50 other fields.
 */
export function multipartFiles(c: AppContext, expected: ExpectedFiles): AsyncGenerator<FormFile> {
  refusePacked(c);
  const [, quoted, plain] = MULTIPART.exec(c.req.header('content-type') ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) {
    throw new ServiceError(
      'unsupported_media_type',
      'Send the files as multipart/form-data with a boundary.',
    );
  }
  return new MultipartReading(bodyOf(c), { ...expected, boundary }).files();
}

/**
 * Returns the connection's own stream if there is one, which costs half as much as its copy in the request.
 */
function bodyOf(c: AppContext): Body {
  const incoming = c.env?.incoming;
  if (incoming instanceof Readable) return { source: incoming, owned: true };
  const { body } = c.req.raw;
  return { source: body === null ? Readable.from([]) : Readable.from(body), owned: false };
}

interface Body {
  readonly source: Readable;
  /** True when nothing else uses the memory of the pieces. */
  readonly owned: boolean;
}

interface Arrived {
  readonly name: string;
  readonly stream: BusboyFileStream;
}

class MultipartReading {
  readonly #source: Readable;
  readonly #owned: boolean;
  readonly #parser: BusboyInstance;
  readonly #areTooMany: (piece: Uint8Array) => boolean;
  readonly #arrived: Arrived[] = [];
  readonly #open = new Set<BusboyFileStream>();
  #ended = false;
  #failure: Error | undefined;
  readonly #refuse: () => void;
  #wake: () => void = () => {};

  constructor({ source, owned }: Body, expected: ExpectedFiles & { boundary: string }) {
    const { field, maxFiles, boundary, onField } = expected;
    this.#source = source;
    this.#owned = owned;
    const headers: BusboyHeaders = { 'content-type': `multipart/form-data; boundary="${boundary}"` };
    const parts = maxFiles + MAX_FIELDS;
    this.#areTooMany = partCounter(boundary, parts);
    this.#parser = new Busboy({
      headers,
      preservePath: true,
      limits: { ...LIMITS, parts },
      highWaterMark: HELD_BYTES,
      fileHwm: HELD_BYTES,
    });
    this.#parser.on('file', (name, stream, filename) => {
      this.#open.add(stream);
      stream.once('close', () => this.#open.delete(stream));
      // The reader receives the error, if there is a reader.
      stream.on('error', () => {});
      if (name !== field) this.#fail(invalid(`Send the files in the field "${field}".`));
      else this.#arrived.push({ name: filename ?? '', stream });
      this.#wake();
    });
    if (onField !== undefined) this.#parser.on('field', (name, value) => onField(name, value));
    this.#parser.once('finish', () => {
      this.#ended = true;
      this.#wake();
    });
    this.#parser.on('error', (cause) => this.#fail(brokenForm(cause)));
    const refuse = (): void => this.#fail(tooManyParts(maxFiles));
    this.#parser.once('partsLimit', refuse);
    this.#parser.once('fieldsLimit', refuse);
    this.#refuse = refuse;
  }

  async *files(): AsyncGenerator<FormFile> {
    const brokeOff = (cause?: unknown): void => {
      if (!this.#source.readableEnded) this.#fail(brokenForm(cause));
    };
    this.#source.on('error', brokeOff);
    this.#source.once('close', brokeOff);
    // Counts parts before the parser, which creates a stream and a dozen callbacks for each.
    this.#source.on('data', this.#count);
    this.#source.pipe(this.#parser);
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        const next = this.#arrived.shift();
        if (next !== undefined)
          yield { name: next.name, pieces: arrivingFile(next.stream, { owned: this.#owned }) };
        else if (this.#ended) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      // The connection continues. The remaining bytes are not read here.
      this.#source.off('data', this.#count);
      this.#source.unpipe(this.#parser);
      this.#source.off('close', brokeOff);
      this.#close();
    }
  }

  readonly #count = (piece: Uint8Array): void => {
    if (this.#areTooMany(piece)) this.#refuse();
  };

  #fail(failure: Error): void {
    this.#failure ??= failure;
    this.#close(this.#failure);
    this.#wake();
  }

  #close(failure?: Error): void {
    for (const stream of this.#open) stream.destroy(failure);
    this.#parser.destroy();
  }
}

/**
 * Counts boundaries in the raw bytes. The returned function is called with each piece of the body, and returns
 * whether there are too many parts after it. The parser also counts, in case a boundary spans two pieces.
 */
function partCounter(boundary: string, most: number): (piece: Uint8Array) => boolean {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  let count = 0;
  return (piece) => {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    let at = bytes.indexOf(delimiter);
    while (at !== -1 && count <= most) {
      count += 1;
      at = bytes.indexOf(delimiter, at + delimiter.length);
    }
    return count > most;
  };
}

function tooManyParts(maxFiles: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The form has too many parts: at most ${maxFiles} files and ${MAX_FIELDS} other fields.`,
  );
}

// The files of a multipart form, one after the other as they arrive; nothing is held in memory.
import { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { invalid, ServiceError } from '../errors.ts';
import { arrivingFile, brokenForm } from './arriving-file.ts';
import type { AppContext } from './context.ts';
import { refusePacked } from './read-body.ts';

export interface FormFile {
  /** As the client wrote it, folders and all. */
  readonly name: string;
  /** Each is the reader's until the next one is asked for. */
  readonly pieces: AsyncIterable<Uint8Array>;
}

const MULTIPART = /^multipart\/form-data\s*;/i;
/** Fields beside the files are read and forgotten. */
const LIMITS = { fields: 50, fieldSize: 65_536, fieldNameSize: 256, headerPairs: 100 };
const HELD_BYTES = 262_144;

/**
 * The pieces of a file are read before the next file is asked for. Throws `unsupported_media_type` for another content
 * type, and while it is read `invalid` for a form that breaks off or has files in other fields.
 */
export function multipartFiles(c: AppContext, field: string): AsyncGenerator<FormFile> {
  refusePacked(c);
  const contentType = c.req.header('content-type') ?? '';
  if (!MULTIPART.test(contentType) || !/;\s*boundary=/i.test(contentType)) {
    throw new ServiceError('unsupported_media_type', 'Send the files as multipart/form-data.');
  }
  return new MultipartReading(bodyOf(c), contentType, field).files();
}

/** The connection's own stream where there is one: it costs half of what the copy of it in a request costs. */
function bodyOf(c: AppContext): Body {
  const incoming = c.env?.incoming;
  if (incoming instanceof Readable) return { source: incoming, owned: true };
  const { body } = c.req.raw;
  return { source: body === null ? Readable.from([]) : Readable.from(body), owned: false };
}

interface Body {
  readonly source: Readable;
  /** What it gives was made for it alone. */
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
  readonly #arrived: Arrived[] = [];
  readonly #open = new Set<BusboyFileStream>();
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor({ source, owned }: Body, contentType: string, field: string) {
    this.#source = source;
    this.#owned = owned;
    const headers: BusboyHeaders = { 'content-type': contentType };
    this.#parser = new Busboy({
      headers,
      preservePath: true,
      limits: LIMITS,
      highWaterMark: HELD_BYTES,
      fileHwm: HELD_BYTES,
    });
    this.#parser.on('file', (name, stream, filename) => {
      this.#open.add(stream);
      stream.once('close', () => this.#open.delete(stream));
      // Who reads it hears of it; nobody may be reading.
      stream.on('error', () => {});
      if (name !== field) this.#fail(invalid(`Send the files in the field "${field}".`));
      else this.#arrived.push({ name: filename ?? '', stream });
      this.#wake();
    });
    this.#parser.once('finish', () => {
      this.#ended = true;
      this.#wake();
    });
    this.#parser.on('error', (cause) => this.#fail(brokenForm(cause)));
  }

  async *files(): AsyncGenerator<FormFile> {
    const brokeOff = (cause?: unknown): void => {
      if (!this.#source.readableEnded) this.#fail(brokenForm(cause));
    };
    this.#source.on('error', brokeOff);
    this.#source.once('close', brokeOff);
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
      // The connection goes on: what is still to come is not read here.
      this.#source.unpipe(this.#parser);
      this.#source.off('close', brokeOff);
      this.#close();
    }
  }

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

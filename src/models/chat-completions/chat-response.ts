// One reply while it arrives: bytes of the connection become parts of the port.
import type { AttemptResponse } from '../calls/attempt.ts';
import type { ByteSource } from '../calls/byte-source.ts';
import type { ModelPart } from '../model.ts';
import type { ReadPace } from './read-pace.ts';
import { ResponseFold, type ResponseFoldParts } from './response-fold.ts';
import { SseReader } from './sse-reader.ts';

interface ChatResponseParts extends ResponseFoldParts {
  readonly bytes: ByteSource;
  readonly pace: ReadPace;
}

const DONE = '[DONE]';

export class ChatResponse implements AttemptResponse {
  readonly #bytes: ByteSource;
  readonly #pace: ReadPace;
  readonly #events = new SseReader();
  readonly #fold: ResponseFold;
  readonly #isRead: () => void;
  /** Bytes of the last piece. */
  #size: number | undefined;
  /** The error to throw once the parts before it have been read. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor({ bytes, pace, ...parts }: ChatResponseParts) {
    this.#bytes = bytes;
    this.#pace = pace;
    this.#fold = new ResponseFold(parts);
    this.#isRead = pace.begin();
  }

  async read(): Promise<readonly ModelPart[]> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.thrown;
        const piece = await this.#nextPiece();
        const parts = this.#partsOf(piece);
        if (parts.length > 0) return parts;
      }
    } catch (thrown) {
      this.#isRead();
      throw thrown;
    }
  }

  async readToEnd(): Promise<void> {
    while ((await this.#bytes.read()) !== undefined);
  }

  cancel(reason: unknown): void {
    this.#isRead();
    this.#bytes.cancel(reason).catch(() => undefined);
  }

  async #nextPiece(): Promise<Uint8Array | undefined> {
    const pause = this.#size === undefined ? undefined : this.#pace.pause(this.#size);
    if (pause !== undefined) await pause;
    const piece = await this.#bytes.read();
    this.#size = piece?.length;
    return piece;
  }

  #partsOf(piece: Uint8Array | undefined): readonly ModelPart[] {
    try {
      const events = piece === undefined ? this.#events.end() : this.#events.push(piece);
      for (const data of events) {
        if (data === DONE) return this.#finished();
        this.#fold.take(data);
      }
      return piece === undefined ? this.#finished() : this.#fold.taken();
    } catch (thrown) {
      this.#failure = { thrown };
      return this.#fold.taken();
    }
  }

  #finished(): readonly ModelPart[] {
    const finish = this.#fold.finish();
    this.#isRead();
    return [...this.#fold.taken(), finish];
  }
}

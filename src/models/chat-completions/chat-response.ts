// One reply while it arrives: bytes of the connection become parts of the port.
import type { AttemptResponse } from '../calls/attempt.ts';
import type { PacedReply } from '../calls/read-pace.ts';
import type { ModelPart } from '../model.ts';
import { ResponseFold, type ResponseFoldParts } from './response-fold.ts';
import { SseReader } from './sse-reader.ts';

interface ChatResponseParts extends ResponseFoldParts {
  readonly bytes: PacedReply;
}

const DONE = '[DONE]';

export class ChatResponse implements AttemptResponse {
  readonly #bytes: PacedReply;
  readonly #events = new SseReader();
  readonly #fold: ResponseFold;
  /** The error to throw once the parts before it have been read. */
  #failure: { readonly thrown: unknown } | undefined;

  constructor({ bytes, ...parts }: ChatResponseParts) {
    this.#bytes = bytes;
    this.#fold = new ResponseFold(parts);
  }

  async read(): Promise<readonly ModelPart[]> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.thrown;
        const piece = await this.#bytes.read();
        const parts = this.#partsOf(piece);
        if (parts.length > 0) return parts;
      }
    } catch (thrown) {
      this.#bytes.finish();
      throw thrown;
    }
  }

  async readToEnd(): Promise<void> {
    while ((await this.#bytes.read()) !== undefined);
  }

  cancel(reason: unknown): void {
    this.#bytes.cancel(reason).catch(() => undefined);
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
    this.#bytes.finish();
    return [...this.#fold.taken(), finish];
  }
}

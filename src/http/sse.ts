// Frames to bytes: one Server-Sent Events body per reader, pulled at the reader's pace.
import type { NumberedFrame } from '../runs/run-frames.ts';

export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Called once: the reader left, the stream ended, or it broke off because of the error. */
export type OnClose = (reason: 'left' | 'ended' | 'broken', error?: unknown) => void;

/** A comment without the blank line after it: older SDKs turn one with a blank line into an empty event. */
const HEARTBEAT = ':\n';
export const HEARTBEAT_MS = 5_000;

/**
 * The body of a stream. A batch becomes one chunk, asked for only when the one before was taken, so a slow reader
 * holds one chunk. In silence a heartbeat comes every `heartbeatMs`. `onClose` is called once, when the reader left
 * or the stream ended.
 */
export function sseBody(
  frames: AsyncGenerator<readonly NumberedFrame[], void, void>,
  options: { readonly onClose: OnClose; readonly heartbeatMs?: number },
): ReadableStream<Uint8Array> {
  return liveBody(frames, frameText, { heartbeat: HEARTBEAT, heartbeatMs: HEARTBEAT_MS, ...options });
}

/** The text of frames as SSE wants it: data on one line, an id, a blank line. */
function frameText(frames: readonly NumberedFrame[]): string {
  let text = '';
  for (const { event, data, id } of frames) text += `event: ${event}\ndata: ${data}\nid: ${id}\n\n`;
  return text;
}

interface KeptAliveOptions {
  readonly heartbeat: string;
  readonly heartbeatMs: number;
  readonly onClose: OnClose;
}

/** A body of texts with a heartbeat in their silences. */
export function keptAlive(
  texts: AsyncGenerator<string, void, void>,
  options: KeptAliveOptions,
): ReadableStream<Uint8Array> {
  return liveBody(texts, (text) => text, options);
}

function liveBody<T>(
  items: AsyncGenerator<T, void, void>,
  textOf: (item: T) => string,
  options: KeptAliveOptions,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new LiveSource(items, textOf, options), { highWaterMark: 0 });
}

const ENCODER = new TextEncoder();

type Arrived<T> = IteratorResult<T, void> | { readonly thrown: unknown };

/** What a reader costs while nothing happens: this, and one timer. */
class LiveSource<T> {
  readonly #items: AsyncGenerator<T, void, void>;
  readonly #textOf: (item: T) => string;
  readonly #options: KeptAliveOptions;
  #isAsked = false;
  /** Came while the reader was not asking. */
  #arrived: Arrived<T> | undefined;
  #pull: { readonly controller: Controller; readonly taken: PromiseWithResolvers<void> } | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(items: AsyncGenerator<T, void, void>, textOf: (item: T) => string, options: KeptAliveOptions) {
    this.#items = items;
    this.#textOf = textOf;
    this.#options = options;
  }

  pull(controller: Controller): Promise<void> {
    const taken = Promise.withResolvers<void>();
    this.#pull = { controller, taken };
    this.#silence = this.#silence?.refresh() ?? setTimeout(() => this.#beat(), this.#options.heartbeatMs);
    if (this.#arrived !== undefined) this.#settle(this.#arrived);
    else if (!this.#isAsked) this.#ask();
    return taken.promise;
  }

  async cancel(): Promise<void> {
    clearTimeout(this.#silence);
    this.#options.onClose('left');
    await this.#items.return();
  }

  #ask(): void {
    this.#isAsked = true;
    this.#items.next().then(
      (result) => this.#settle(result),
      (thrown: unknown) => this.#settle({ thrown }),
    );
  }

  #settle(arrived: Arrived<T>): void {
    if (this.#pull === undefined) {
      this.#arrived = arrived;
      return;
    }
    const { controller, taken } = this.#pull;
    this.#pull = undefined;
    this.#arrived = undefined;
    this.#isAsked = false;
    try {
      this.#give(controller, arrived);
      taken.resolve();
    } catch (error) {
      taken.reject(error);
    }
  }

  #give(controller: Controller, arrived: Arrived<T>): void {
    if ('thrown' in arrived) {
      clearTimeout(this.#silence);
      this.#options.onClose('broken', arrived.thrown);
      throw arrived.thrown;
    }
    if (arrived.done !== true) {
      controller.enqueue(ENCODER.encode(this.#textOf(arrived.value)));
      return;
    }
    clearTimeout(this.#silence);
    this.#options.onClose('ended');
    controller.close();
  }

  #beat(): void {
    if (this.#pull === undefined) return;
    const { controller, taken } = this.#pull;
    this.#pull = undefined;
    controller.enqueue(ENCODER.encode(this.#options.heartbeat));
    taken.resolve();
  }
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

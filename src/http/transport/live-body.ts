// The body of a live response: texts as they arrive, at the reader's pace, with heartbeats during silence. It
// is written directly to Node's response where there is one, and is a web stream otherwise.
import type { ServerResponse } from 'node:http';
import { type Breath, createBreath } from '../../breath.ts';
import { SLICE_CHARACTERS, textSlices } from '../../text-slices.ts';

/** Called once, when the reader left, the texts ended, or an error broke them off. */
export type OnClose = (reason: 'left' | 'ended' | 'broken', error?: unknown) => void;

export interface LiveBodyOptions {
  readonly heartbeat: string;
  /** Maximum silence in milliseconds. */
  readonly heartbeatMs: number;
  readonly onClose: OnClose;
}

/** The output of work in progress. It is read once, in one of the two ways. */
export interface LiveBody {
  /** Writes everything into a response whose head is written, until either ends. */
  pourInto(response: ServerResponse): void;
  stream(): ReadableStream<Uint8Array>;
  /** Discards the body, which will not be read. */
  leave(): void;
}

/** The server's offer of a live response with a request. */
export interface LiveOffer {
  /** Set by a route. The server writes it after the head of the response. */
  body: LiveBody | undefined;
}

/** A text, or the slices of a long one, each created when there is capacity for it. */
export type LiveText = string | Iterable<string>;

/**
 * Returns a body in which each item becomes a text. An item is requested only after the previous one was
 * taken, so a slow reader holds one. Other work gets its turn between the slices of a long text, without
 * heartbeats between them.
 */
export function liveBody<T>(
  items: AsyncGenerator<T, void, void>,
  textOf: (item: T) => LiveText,
  options: LiveBodyOptions,
): LiveBody {
  return new LiveTexts(items, textOf, options);
}

interface Sink {
  /** Returns whether the sink accepts more immediately. If not, `resume` is called once it does. */
  write(text: string): boolean;
  end(): void;
  breakOff(error: unknown): void;
}

class ResponseSink implements Sink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(text: string): boolean {
    // Most texts are pure ASCII and need no encoding.
    const isPlain = Buffer.byteLength(text) === text.length;
    return this.#response.write(text, isPlain ? 'latin1' : 'utf8');
  }

  end(): void {
    this.#response.end();
  }

  /** Destroys the response, so that the reader does not mistake it for a clean end. */
  breakOff(): void {
    this.#response.destroy();
  }
}

const ENCODER = new TextEncoder();

class WebSink<T> implements Sink {
  readonly #texts: LiveTexts<T>;
  #pull: { readonly controller: Controller; readonly taken: PromiseWithResolvers<void> } | undefined;

  constructor(texts: LiveTexts<T>) {
    this.#texts = texts;
  }

  pull(controller: Controller): Promise<void> {
    const taken = Promise.withResolvers<void>();
    this.#pull = { controller, taken };
    this.#texts.begin(this);
    return taken.promise;
  }

  cancel(): void {
    this.#texts.leave();
  }

  write(text: string): boolean {
    this.#take((controller) => controller.enqueue(ENCODER.encode(text)));
    return false;
  }

  end(): void {
    this.#take((controller) => controller.close());
  }

  breakOff(error: unknown): void {
    this.#take((controller) => controller.error(error));
  }

  #take(use: (controller: Controller) => void): void {
    const pull = this.#pull;
    this.#pull = undefined;
    if (pull === undefined) return;
    use(pull.controller);
    pull.taken.resolve();
  }
}

type Controller = ReadableStreamDefaultController<Uint8Array>;

type Arrived<T> = IteratorResult<T, void> | { readonly thrown: unknown };

/** The remaining slices of a long text. */
interface Rest {
  readonly slices: Iterator<string, unknown, void>;
  readonly breath: Breath;
}

/** A silent reader costs only this object and one timer. */
class LiveTexts<T> implements LiveBody {
  readonly #items: AsyncGenerator<T, void, void>;
  readonly #textOf: (item: T) => LiveText;
  readonly #options: LiveBodyOptions;
  #sink: Sink | undefined;
  #isFull = false;
  #isAsked = false;
  #isClosed = false;
  /** A result that arrived while the sink was full. */
  #arrived: Arrived<T> | undefined;
  #rest: Rest | undefined;
  /** True while other work has its turn. */
  #isResting = false;
  #silence: NodeJS.Timeout | undefined;

  constructor(items: AsyncGenerator<T, void, void>, textOf: (item: T) => LiveText, options: LiveBodyOptions) {
    this.#items = items;
    this.#textOf = textOf;
    this.#options = options;
  }

  pourInto(response: ServerResponse): void {
    const leave = (): void => this.leave();
    response.on('close', leave);
    response.on('error', leave);
    response.on('drain', () => this.resume());
    if (response.destroyed) leave();
    else this.begin(new ResponseSink(response));
  }

  stream(): ReadableStream<Uint8Array> {
    return new ReadableStream(new WebSink(this), { highWaterMark: 0 });
  }

  /** Starts writing to the sink. */
  begin(sink: Sink): void {
    this.#sink = sink;
    this.resume();
  }

  /** Continues, because the sink accepts more. */
  resume(): void {
    if (this.#isClosed) return;
    this.#isFull = false;
    this.#listen();
    const arrived = this.#arrived;
    this.#arrived = undefined;
    if (this.#rest !== undefined) this.#resume(this.#rest);
    else if (arrived !== undefined) this.#give(arrived);
    else if (!this.#isAsked) this.#ask();
  }

  leave(): void {
    if (!this.#close('left')) return;
    this.#items.return().catch(() => undefined);
  }

  #ask(): void {
    this.#isAsked = true;
    this.#items.next().then(
      (result) => this.#settle(result),
      (thrown: unknown) => this.#settle({ thrown }),
    );
  }

  #settle(arrived: Arrived<T>): void {
    this.#isAsked = false;
    if (this.#isFull) this.#arrived = arrived;
    else if (!this.#isClosed) this.#give(arrived);
  }

  #give(arrived: Arrived<T>): void {
    if ('thrown' in arrived) {
      this.#close('broken', arrived.thrown);
      this.#sink?.breakOff(arrived.thrown);
    } else if (arrived.done === true) {
      this.#close('ended');
      this.#sink?.end();
    } else this.#say(arrived.value);
  }

  #say(item: T): void {
    const text = this.#textOf(item);
    if (typeof text === 'string' && text.length <= SLICE_CHARACTERS) {
      this.#write(text);
      if (!this.#isFull && !this.#isClosed) this.#ask();
      return;
    }
    const slices = typeof text === 'string' ? textSlices([text]) : text;
    this.#rest = { slices: slices[Symbol.iterator](), breath: createBreath() };
    this.#resume(this.#rest);
  }

  #resume({ slices, breath }: Rest): void {
    while (!(this.#isFull || this.#isClosed || this.#isResting)) {
      const next = this.#next(slices);
      if (typeof next === 'string') this.#write(next);
      else {
        this.#rest = undefined;
        if (next === undefined) this.#ask();
        else this.#give(next);
        return;
      }
      this.#rests(breath());
    }
  }

  #rests(turn: Promise<void> | undefined): void {
    if (turn === undefined) return;
    this.#isResting = true;
    void turn.then(() => {
      this.#isResting = false;
      if (this.#rest !== undefined) this.#resume(this.#rest);
    });
  }

  #write(text: string): void {
    this.#listen();
    this.#isFull = this.#sink?.write(text) === false;
  }

  /** Returns the next slice, or `undefined` after the last one. */
  #next(slices: Rest['slices']): string | { readonly thrown: unknown } | undefined {
    try {
      const next = slices.next();
      return next.done === true ? undefined : next.value;
    } catch (thrown) {
      return { thrown };
    }
  }

  #listen(): void {
    this.#silence = this.#silence?.refresh() ?? setTimeout(() => this.#beat(), this.#options.heartbeatMs);
  }

  #beat(): void {
    if (!this.#isFull && this.#rest === undefined) this.#write(this.#options.heartbeat);
  }

  /** Closes the body. Returns whether it was open. */
  #close(...[reason, error]: Parameters<OnClose>): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#rest = undefined;
    clearTimeout(this.#silence);
    this.#options.onClose(reason, error);
    return true;
  }
}

// The body of an answer that goes on while things happen, at its reader's pace: texts as they come, and a heartbeat in
// their silences. It goes straight to Node's answer where there is one, and is a web stream for everybody else.
import type { ServerResponse } from 'node:http';
import { type Breath, createBreath } from '../../breath.ts';
import { SLICE_CHARACTERS, textSlices } from './text-slices.ts';

/** Called once: the reader left, the texts ended, or they broke off because of the error. */
export type OnClose = (reason: 'left' | 'ended' | 'broken', error?: unknown) => void;

export interface LiveBodyOptions {
  readonly heartbeat: string;
  /** How long nothing may be said. */
  readonly heartbeatMs: number;
  readonly onClose: OnClose;
}

/** The output of something in progress; read once, in one of the two ways. */
export interface LiveBody {
  /** Writes everything into an answer whose head is written, until either ends. */
  pourInto(response: ServerResponse): void;
  stream(): ReadableStream<Uint8Array>;
  /** Nobody will read it. */
  leave(): void;
}

/** A text, or the slices of a long one: each is made when there is room for it. */
export type LiveText = string | Iterable<string>;

/**
 * Each item becomes a text, asked for only when the one before was taken, so a slow reader holds one. Others get their
 * turn between the slices of a long one, and no heartbeat comes between them.
 */
export function liveBody<T>(
  items: AsyncGenerator<T, void, void>,
  textOf: (item: T) => LiveText,
  options: LiveBodyOptions,
): LiveBody {
  return new LiveTexts(items, textOf, options);
}

interface Sink {
  /** Whether it takes more at once; else somebody calls `resume` when it does. */
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
    // What is all ASCII, as most texts are, need not be encoded.
    const isPlain = Buffer.byteLength(text) === text.length;
    return this.#response.write(text, isPlain ? 'latin1' : 'utf8');
  }

  end(): void {
    this.#response.end();
  }

  /** The reader must not take it for an end. */
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

/** What is left of a long text. */
interface Rest {
  readonly slices: Iterator<string, unknown, void>;
  readonly breath: Breath;
}

/** What a reader costs while nothing happens: this, and one timer. */
class LiveTexts<T> implements LiveBody {
  readonly #items: AsyncGenerator<T, void, void>;
  readonly #textOf: (item: T) => LiveText;
  readonly #options: LiveBodyOptions;
  #sink: Sink | undefined;
  #isFull = false;
  #isAsked = false;
  #isClosed = false;
  /** Came while the sink was full. */
  #arrived: Arrived<T> | undefined;
  #rest: Rest | undefined;
  /** Others have their turn. */
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

  /** The sink takes a text from now on. */
  begin(sink: Sink): void {
    this.#sink = sink;
    this.resume();
  }

  /** It takes more. */
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

  /** `undefined` after the last slice. */
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

  /** Whether it was open. */
  #close(...[reason, error]: Parameters<OnClose>): boolean {
    if (this.#isClosed) return false;
    this.#isClosed = true;
    this.#rest = undefined;
    clearTimeout(this.#silence);
    this.#options.onClose(reason, error);
    return true;
  }
}

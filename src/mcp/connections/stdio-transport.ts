// Talks to a local program over its standard input and output. Each message is a line.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { createBreath } from '../../breath.ts';
import { MAX_VALUES } from '../../json/json-text.ts';
import { parseInSlices } from '../../json/sliced-json.ts';
import { createPace } from '../../processes/pace.ts';
import type { TalkingProcess, TalkListener } from '../../processes/talk-process.ts';
import { MESSAGE_BYTES, TOO_LARGE, TOO_LARGE_CODE } from '../server-failure.ts';

const jsonrpc = z.literal('2.0');
const id = z.union([z.string(), z.number()]);
/** Checks only what distinguishes messages. Their receivers check the contents. */
const message = z.union([
  z.looseObject({ jsonrpc, id, result: z.looseObject({}) }),
  z.looseObject({ jsonrpc, id, error: z.looseObject({ code: z.int(), message: z.string() }) }),
  z.looseObject({ jsonrpc, method: z.string(), id: id.optional(), params: z.looseObject({}).optional() }),
]);

/** A program that writes this many lines that are not messages is broken, or is not a tool server. */
const MOST_GARBAGE = 1_000;
/** Lines and bytes that are read per interval. A program that writes more waits, and fills its own pipe. */
const LINES_AT_ONCE = 200;
const BYTES_AT_ONCE = MESSAGE_BYTES;
const SHORT_BYTES = 65_536;
const SLICE_LIMITS = { maxValues: MAX_VALUES, maxDeepBytes: SHORT_BYTES };
const EDGE_BYTES = 256;

interface StdioParts {
  readonly start: (listener: TalkListener) => TalkingProcess;
  /** Called once, when the program has ended or has written too much garbage. */
  readonly onEnd: (reason: string) => void;
}

/** A transport for one connection. `start` starts the program. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #parts: StdioParts;
  readonly #lines = new MessageLines(MESSAGE_BYTES);
  #process: TalkingProcess | undefined;
  readonly #lineTaken = createPace(LINES_AT_ONCE);
  readonly #bytesTaken = createPace(BYTES_AT_ONCE);
  #garbage = 0;
  #isClosed = false;

  constructor(parts: StdioParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#process = this.#parts.start({
      said: (piece) => this.#said(piece),
      ended: (reason) => {
        this.#isClosed = true;
        this.#parts.onEnd(reason);
        this.onclose?.();
      },
    });
  }

  async send(sent: JSONRPCMessage): Promise<void> {
    await this.#process?.write(`${JSON.stringify(sent)}\n`);
  }

  /** Resolves when the program has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#process?.end();
  }

  lastWords(): string {
    return this.#process?.lastWords() ?? '';
  }

  async #said(piece: Buffer): Promise<void> {
    const breath = createBreath();
    for (const line of this.#lines.add(piece)) {
      await this.#take(line);
      await (this.#lineTaken(1) ?? breath());
      if (this.#isClosed) return;
    }
    await this.#bytesTaken(piece.length);
  }

  async #take(line: Line): Promise<void> {
    if (line.kind === 'empty') return;
    const read = await messageIn(line);
    if (this.#isClosed) return;
    if (read === undefined) this.#refuse();
    else this.onmessage?.(read);
  }

  #refuse(): void {
    this.#garbage++;
    if (this.#garbage !== MOST_GARBAGE) return;
    this.#parts.onEnd('it says what are no messages of the protocol');
    void this.close();
  }
}

async function messageIn(line: Exclude<Line, { kind: 'empty' }>): Promise<JSONRPCMessage | undefined> {
  if (line.kind === 'too_long') return refusalOf(line);
  const { bytes } = line;
  try {
    const parsed = message.safeParse(await jsonIn(bytes));
    // The schema distinguishes the shapes of the protocol, which the library's own type spells out.
    return parsed.success ? (parsed.data as JSONRPCMessage) : undefined;
  } catch {
    return bytes.length <= SHORT_BYTES ? undefined : refusalOf(edgesOf(bytes));
  }
}

async function jsonIn(bytes: Buffer): Promise<unknown> {
  return bytes.length <= SHORT_BYTES
    ? JSON.parse(bytes.toString('utf8'))
    : parseInSlices(bytes, SLICE_LIMITS);
}

function edgesOf(bytes: Buffer) {
  const head = bytes.toString('latin1', 0, EDGE_BYTES);
  return { head, tail: bytes.toString('latin1', bytes.length - EDGE_BYTES) };
}

const ID = /"id":\s?(\d{1,15})[,}]/;

/** Returns an error in place of a response that is too large, so that its caller does not keep waiting. */
function refusalOf({ head, tail }: ReturnType<typeof edgesOf>): JSONRPCMessage | undefined {
  const id = (ID.exec(tail) ?? ID.exec(head))?.[1];
  if (id === undefined) return undefined;
  return { jsonrpc: '2.0', id: Number(id), error: { code: TOO_LARGE_CODE, message: TOO_LARGE } };
}

type Line =
  | { readonly kind: 'empty' }
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** Longer than the limit: its beginning and its end, one of which has the id of the request. */
  | { readonly kind: 'too_long'; readonly head: string; readonly tail: string };

const NEWLINE = 10;
/** Precedes the newline where lines end as on Windows. */
const RETURN = 13;

class MessageLines {
  readonly #limitBytes: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #head: string | undefined;
  #tail = Buffer.alloc(0);

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Yields the lines that end in this piece. Input after a line is not read before the next request. */
  *add(piece: Buffer): Generator<Line, void, void> {
    let from = 0;
    for (let at = piece.indexOf(NEWLINE); at !== -1; at = piece.indexOf(NEWLINE, from)) {
      this.#keep(piece.subarray(from, at));
      from = at + 1;
      yield this.#take();
    }
    this.#keep(piece.subarray(from));
  }

  #keep(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length <= this.#limitBytes) {
      this.#pieces.push(piece);
      return;
    }
    this.#head ??= Buffer.concat([...this.#pieces.splice(0), piece.subarray(0, EDGE_BYTES)])
      .subarray(0, EDGE_BYTES)
      .toString('latin1');
    this.#tail = Buffer.concat([this.#tail, piece.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
  }

  #take(): Line {
    if (this.#length === 0) return { kind: 'empty' };
    const head = this.#head;
    const tail = this.#tail.toString('latin1');
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces.length = 0;
    this.#length = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    if (bytes.length === 1 && bytes[0] === RETURN) return { kind: 'empty' };
    return head === undefined ? { kind: 'line', bytes } : { kind: 'too_long', head, tail };
  }
}

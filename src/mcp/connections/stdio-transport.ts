// Speaks with a program of ours over its standard input and output: a message is a line.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { createBreath } from '../../breath.ts';
import { MAX_VALUES } from '../../json/json-text.ts';
import { parseInSlices } from '../../json/sliced-json.ts';
import { createPace } from '../../processes/pace.ts';
import type { TalkingProcess, TalkListener } from '../../processes/talk-process.ts';
import { MESSAGE_BYTES, TOO_LARGE, TOO_LARGE_CODE } from './limits.ts';

/** Only what distinguishes messages: their receivers check the contents. */
const message = z.union([
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]),
    result: z.looseObject({}),
  }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number()]),
    error: z.looseObject({ code: z.int(), message: z.string() }),
  }),
  z.looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string(),
    id: z.union([z.string(), z.number()]).optional(),
    params: z.looseObject({}).optional(),
  }),
]);

/** A program that says more than this of what is no message is not a tool server, or is broken. */
const MOST_GARBAGE = 1_000;
/** Lines and bytes that are taken in one interval; who says more has to wait, and fills its own pipe. */
const LINES_AT_ONCE = 200;
const BYTES_AT_ONCE = MESSAGE_BYTES;
/** What is parsed at once. */
const SHORT_BYTES = 65_536;
const SLICE_LIMITS = { maxValues: MAX_VALUES, maxDeepBytes: SHORT_BYTES };
const EDGE_BYTES = 256;

interface StdioParts {
  readonly start: (listener: TalkListener) => TalkingProcess;
  /** Called once, when the program has ended or says nothing but garbage. */
  readonly onEnd: (reason: string) => void;
}

/** For one connection; `start` of it starts the program. */
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

  /** Resolves when the program is gone. */
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

type Said = Exclude<Line, { readonly kind: 'empty' }>;

async function messageIn(line: Said): Promise<JSONRPCMessage | undefined> {
  if (line.kind === 'too_long') return refusalOf(line);
  const { bytes } = line;
  try {
    const parsed = message.safeParse(await jsonIn(bytes));
    // The schema tells the shapes of the protocol apart, which the library's own type spells out.
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

interface Edges {
  readonly head: string;
  readonly tail: string;
}

function edgesOf(bytes: Buffer): Edges {
  const head = bytes.toString('latin1', 0, EDGE_BYTES);
  return { head, tail: bytes.toString('latin1', bytes.length - EDGE_BYTES) };
}

const ID = /"id":\s?(\d{1,15})[,}]/;

/** Replaces a response that is too large, so that its caller does not keep waiting. */
function refusalOf({ head, tail }: Edges): JSONRPCMessage | undefined {
  const id = (ID.exec(tail) ?? ID.exec(head))?.[1];
  if (id === undefined) return undefined;
  return { jsonrpc: '2.0', id: Number(id), error: { code: TOO_LARGE_CODE, message: TOO_LARGE } };
}

type Line =
  | { readonly kind: 'empty' }
  | { readonly kind: 'line'; readonly bytes: Buffer }
  /** Longer than the limit: its beginning and its end, in which the id of what it answers stands. */
  | { readonly kind: 'too_long'; readonly head: string; readonly tail: string };

const NEWLINE = 10;
/** Before the newline, where lines end as on Windows. */
const RETURN = 13;

/** Keeps what has no end yet, which is never more than the limit. */
class MessageLines {
  readonly #limitBytes: number;
  readonly #pieces: Buffer[] = [];
  #length = 0;
  #head: string | undefined;
  #tail = Buffer.alloc(0);

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** The lines that end in this piece. What comes after a line is not looked at before the next one is asked for. */
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

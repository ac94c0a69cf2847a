// Speaks with a program of ours over its standard input and output: a message is a line.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import type { TalkingProcess, TalkListener } from '../../processes/talk-process.ts';
import { MESSAGE_BYTES, TOO_LARGE, TOO_LARGE_CODE } from './limits.ts';
import { type Line, MessageLines } from './message-lines.ts';

/** Only what tells messages apart: what they hold is checked by whoever is given them. */
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
/** Messages that are taken in one interval; who says more has to wait, and fills its own pipe. */
const AT_ONCE = 200;
const INTERVAL_MS = 50;

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
  #garbage = 0;
  #taken = 0;
  #since = 0;

  constructor(parts: StdioParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    this.#process = this.#parts.start({
      said: (piece) => this.#said(piece),
      ended: (reason) => {
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
    await this.#process?.end();
  }

  lastWords(): string {
    return this.#process?.lastWords() ?? '';
  }

  #said(piece: Buffer): void {
    for (const line of this.#lines.add(piece)) {
      const read = messageIn(line);
      if (read === undefined) {
        this.#refuse();
        continue;
      }
      this.#taken++;
      this.onmessage?.(read);
    }
    this.#slowDown();
  }

  #refuse(): void {
    this.#garbage++;
    if (this.#garbage !== MOST_GARBAGE) return;
    this.#parts.onEnd('it says what are no messages of the protocol');
    void this.close();
  }

  #slowDown(): void {
    const now = performance.now();
    if (now - this.#since > INTERVAL_MS) {
      this.#since = now;
      this.#taken = 0;
    } else if (this.#taken > AT_ONCE) this.#process?.pause(INTERVAL_MS);
  }
}

function messageIn(line: Line): JSONRPCMessage | undefined {
  if (line.kind === 'too_long') return refusalOf(line);
  try {
    const parsed = message.safeParse(JSON.parse(line.text));
    // The schema tells the shapes of the protocol apart, which the library's own type spells out.
    return parsed.success ? (parsed.data as JSONRPCMessage) : undefined;
  } catch {
    return undefined;
  }
}

const ID = /"id":\s?(\d{1,15})[,}]/;

/** In the place of an answer that is too large: whoever waits for it need not wait on. */
function refusalOf({ head, tail }: Line & { readonly kind: 'too_long' }): JSONRPCMessage | undefined {
  const id = (ID.exec(tail) ?? ID.exec(head))?.[1];
  if (id === undefined) return undefined;
  return { jsonrpc: '2.0', id: Number(id), error: { code: TOO_LARGE_CODE, message: TOO_LARGE } };
}

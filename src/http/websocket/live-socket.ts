// One WebSocket: accepted, with a heartbeat, back-pressure and a rate limit, and closed with a reason or with its
// session.
import type { RawData, WebSocket } from 'ws';
import type { Credential } from '../../auth/credentials.ts';
import { invalid, ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { AppContext } from '../api/context.ts';
import type { OpenStreams, StreamClosing } from '../streams/open-streams.ts';

/** Why the service closes a socket (RFC 6455, section 7.4). */
export const CLOSE = { done: 1000, refused: 1008, fault: 1011 } as const;

export interface LiveSocket {
  /** Aborted when the connection is over or being closed, however that came about. */
  readonly closed: AbortSignal;
  /** A promise: the client reads slowly, and nothing more should be sent before it resolves. Never throws. */
  send(text: string): Promise<void> | undefined;
  /** Only the first call counts. `reason` is a short sentence. */
  close(code: number, reason: string): void;
}

export interface SocketTimings {
  /** Every ping is the heartbeat of a silent stream, too. */
  readonly pingMs: number;
  /** A client that is not heard of for this long is gone. */
  readonly silenceMs: number;
  /** How long a client may take to say what it wants. */
  readonly firstMessageMs: number;
}

interface LiveSocketOptions {
  readonly openStreams: OpenStreams;
  readonly timings?: Partial<SocketTimings>;
  readonly now?: () => number;
  readonly credential: Credential | undefined;
  readonly userId: string;
  /** One text message of the client, as UTF-8 bytes. */
  readonly onMessage: (bytes: Uint8Array) => void;
}

const CLOSING_REASONS = {
  displaced: 'Too many streams are open.',
  session_ended: 'The session has ended.',
} as const satisfies Record<StreamClosing, string>;

const TIMINGS: SocketTimings = { pingMs: 5_000, silenceMs: 80_000, firstMessageMs: 10_000 };
/** What may wait in memory for a slow reader. */
const MAX_BUFFERED_BYTES = 65_536;
const MAX_REASON_BYTES = 123;
/** How long a client has to answer a close frame. */
const CLOSE_TIMEOUT_MS = 2_000;

export function openLiveSocket(socket: WebSocket, options: LiveSocketOptions): LiveSocket {
  const { now = Date.now, userId, credential, openStreams, onMessage } = options;
  const { pingMs, silenceMs, firstMessageMs } = { ...TIMINGS, ...options.timings };
  const closed = new AbortController();
  const rate = createMessageRate(now);
  let heardAt = now();

  const close: LiveSocket['close'] = (code, reason) => {
    socket.close(code, shortened(reason));
    closed.abort();
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  const hear = (): boolean => {
    heardAt = now();
    if (rate.take()) return true;
    close(CLOSE.refused, 'Too many messages.');
    return false;
  };
  const ping = setInterval(() => {
    if (now() - heardAt > silenceMs) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  const first = setTimeout(() => close(CLOSE.refused, 'No request came.'), firstMessageMs);
  const letGo = openStreams.open({
    userId,
    credential,
    close: (why) => close(CLOSE.refused, CLOSING_REASONS[why]),
  });

  socket.on('message', (data, isBinary) => {
    clearTimeout(first);
    if (closed.signal.aborted || !hear()) return;
    if (isBinary) close(CLOSE.refused, 'Send JSON as text.');
    else onMessage(bytesOf(data));
  });
  // The answer to a ping is sent by the library; a flood of pings is a flood all the same.
  socket.on('ping', () => void (closed.signal.aborted || hear()));
  socket.on('pong', () => {
    heardAt = now();
  });
  // What breaks the protocol of WebSockets, a frame too large above all, is closed by the library; `close` follows.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(ping);
    clearTimeout(first);
    letGo();
    closed.abort();
  });
  return { closed: closed.signal, send: (text) => sendText(socket, text, closed.signal), close };
}

function sendText(socket: WebSocket, text: string, closed: AbortSignal): Promise<void> | undefined {
  if (closed.aborted) return undefined;
  if (socket.bufferedAmount + text.length <= MAX_BUFFERED_BYTES) {
    socket.send(text);
    return undefined;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    closed.removeEventListener('abort', settle);
    resolve();
  };
  closed.addEventListener('abort', settle);
  socket.send(text, settle);
  return promise;
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** A close frame has room for few bytes. */
function shortened(reason: string): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return bytes;
  // A character that is cut in two decodes to a replacement character, which is longer than what was cut.
  return Buffer.from(
    bytes
      .subarray(0, MAX_REASON_BYTES - 3)
      .toString()
      .replace(/\uFFFD$/, ''),
  );
}

/** How many messages a client may send on one socket: a bucket that refills. */
interface MessageRate {
  /** Whether one more message is within the rate. */
  take(): boolean;
}

const BURST = 60;
const PER_SECOND = 20;

function createMessageRate(now: () => number): MessageRate {
  let left = BURST;
  let countedAt = now();
  return {
    take() {
      const at = now();
      left = Math.min(BURST, left + (Math.max(0, at - countedAt) / 1000) * PER_SECOND);
      countedAt = at;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}

/** What a client receives when its socket is closed: a close code and a sentence, never a cause. */
interface Refusal {
  readonly code: number;
  /** A name for programs. */
  readonly error: string;
  /** A sentence for a person. */
  readonly message: string;
}

/** Logs what is a fault of the service. */
export function refusalOf(error: unknown, log: Log): Refusal {
  if (!(error instanceof ServiceError)) {
    log.error({ err: error }, 'a socket failed');
    return { code: CLOSE.fault, error: 'internal_error', message: 'Internal server error' };
  }
  const [issue] = error.issues ?? [];
  const message = issue === undefined ? error.detail : `${issue.loc.join('.')}: ${issue.msg}`;
  const code = error.code === 'unavailable' ? CLOSE.fault : CLOSE.refused;
  if (code === CLOSE.fault) log.warn({ err: error }, 'a dependency of a socket is unavailable');
  return { code, error: error.code, message };
}

/** Takes the upgrade that the client asks for. Throws `invalid` when it asks for none. */
export function acceptWebSocket(c: AppContext, serve: (socket: WebSocket) => void): Response {
  const offer = c.env?.upgrade;
  if (offer === undefined)
    throw invalid('This address speaks WebSocket. Connect to it with ws:// or wss://.');
  offer.accept(serve);
  return c.body(null, 200);
}

// One WebSocket with a heartbeat, back-pressure and a rate limit, closed with a reason or with its session.
import type { RawData, WebSocket } from 'ws';
import { invalid, ServiceError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { textSlices } from '../../text-slices.ts';
import type { AppContext } from '../api/context.ts';
import type { OpenStreams, StreamClosing } from '../streams/open-streams.ts';
import type { LiveText } from '../transport/live-body.ts';

/** Close codes of the service (RFC 6455, section 7.4). */
export const CLOSE = { done: 1000, refused: 1008, fault: 1011 } as const;

export interface SocketTimings {
  /** Interval of pings, which also serve as the heartbeat of a silent stream. */
  readonly pingMs: number;
  /** A client that is silent for this long is gone. */
  readonly silenceMs: number;
  /** How long a client may take to send its first message. */
  readonly firstMessageMs: number;
}

interface LiveSocketOptions {
  readonly openStreams: OpenStreams;
  readonly timings?: Partial<SocketTimings>;
  readonly now?: () => number;
  readonly follower: Parameters<OpenStreams['open']>[0];
  /** One text message of the client, as UTF-8 bytes. */
  readonly onMessage: (bytes: Uint8Array) => void;
}

const CLOSING_REASONS = {
  displaced: 'Too many streams are open.',
  session_ended: 'The session has ended.',
} as const satisfies Record<StreamClosing, string>;

const TIMINGS: SocketTimings = { pingMs: 5_000, silenceMs: 80_000, firstMessageMs: 10_000 };
/** Maximum number of bytes buffered for a slow reader. */
const MAX_BUFFERED_BYTES = 65_536;
const MAX_REASON_BYTES = 123;
/** How long a client may take to answer a close frame, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

export function openLiveSocket(socket: WebSocket, options: LiveSocketOptions) {
  const { now = Date.now, follower, openStreams, onMessage } = options;
  const { pingMs, silenceMs, firstMessageMs } = { ...TIMINGS, ...options.timings };
  /** Aborted when the connection has ended or is being closed, for whatever reason. */
  const closed = new AbortController();
  const isWithinRate = createMessageRate(now);
  let heardAt = now();

  /** Closes the socket. Only the first call counts. `reason` is a short sentence. */
  const close = (code: number, reason: string): void => {
    socket.close(code, shortened(reason));
    closed.abort();
    setTimeout(() => socket.terminate(), CLOSE_TIMEOUT_MS).unref();
  };
  const hear = (): boolean => {
    heardAt = now();
    if (isWithinRate()) return true;
    close(CLOSE.refused, 'Too many messages.');
    return false;
  };
  const ping = setInterval(() => {
    if (now() - heardAt > silenceMs) socket.terminate();
    else if (socket.readyState === socket.OPEN) socket.ping();
  }, pingMs);
  const first = setTimeout(() => close(CLOSE.refused, 'No request came.'), firstMessageMs);
  const letGo = openStreams.open(follower, (why) => close(CLOSE.refused, CLOSING_REASONS[why]));

  socket.on('message', (data, isBinary) => {
    clearTimeout(first);
    if (closed.signal.aborted || !hear()) return;
    if (isBinary) close(CLOSE.refused, 'Send JSON as text.');
    else onMessage(bytesOf(data));
  });
  // The library responds to pings, but a flood of pings is still a flood.
  socket.on('ping', () => void (closed.signal.aborted || hear()));
  socket.on('pong', () => {
    heardAt = now();
  });
  // The library closes connections with protocol errors, above all too large frames; `close` follows.
  socket.on('error', () => undefined);
  socket.on('close', () => {
    clearInterval(ping);
    clearTimeout(first);
    letGo();
    closed.abort();
  });
  /**
   * Sends one message, in fragments if its text comes in pieces. Returns a promise when the client is slow; the caller
   * then waits before sending more. Never throws.
   */
  const send = (text: LiveText): Promise<void> | undefined =>
    typeof text === 'string'
      ? sendFragment(socket, { text, isLast: true }, closed.signal)
      : sendPieces(socket, text, closed.signal);
  return { closed: closed.signal, send, close };
}

export type LiveSocket = ReturnType<typeof openLiveSocket>;

/** The caller sends nothing else before it resolves: another message would end up inside this one. */
async function sendPieces(socket: WebSocket, pieces: Iterable<string>, closed: AbortSignal): Promise<void> {
  for (const text of textSlices(pieces)) {
    await sendFragment(socket, { text, isLast: false }, closed);
    if (closed.aborted) return;
  }
  await sendFragment(socket, { text: '', isLast: true }, closed);
}

interface Fragment {
  readonly text: string;
  /** The message ends with it. */
  readonly isLast: boolean;
}

function sendFragment(
  socket: WebSocket,
  { text, isLast }: Fragment,
  closed: AbortSignal,
): Promise<void> | undefined {
  if (closed.aborted) return undefined;
  const options = { fin: isLast };
  if (socket.bufferedAmount + text.length <= MAX_BUFFERED_BYTES) {
    socket.send(text, options);
    return undefined;
  }
  const { promise, resolve } = Promise.withResolvers<void>();
  const settle = (): void => {
    closed.removeEventListener('abort', settle);
    resolve();
  };
  closed.addEventListener('abort', settle);
  socket.send(text, options, settle);
  return promise;
}

function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}

/** Shortens the reason, because a close frame has space for few bytes. */
function shortened(reason: string): Buffer {
  const bytes = Buffer.from(reason);
  if (bytes.length <= MAX_REASON_BYTES) return bytes;
  // A character cut in two decodes to a replacement character, which is longer than the removed bytes.
  return Buffer.from(
    bytes
      .subarray(0, MAX_REASON_BYTES - 3)
      .toString()
      .replace(/\uFFFD$/, ''),
  );
}

const BURST = 60;
const PER_SECOND = 20;

/**
 * Limits the messages of a client on one socket: a bucket that refills. The returned function counts a message
 * and returns whether it is within the rate.
 */
function createMessageRate(now: () => number): () => boolean {
  let left = BURST;
  let countedAt = now();
  return () => {
    const at = now();
    left = Math.min(BURST, left + (Math.max(0, at - countedAt) / 1000) * PER_SECOND);
    countedAt = at;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** The notice to a client whose socket is closed: a close code and a sentence, never a cause. */
interface Refusal {
  readonly code: number;
  /** A name for programs. */
  readonly error: string;
  /** A sentence for a person. */
  readonly message: string;
}

/** Returns the refusal for an error. Logs faults of the service. */
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

/** Accepts the upgrade. Throws `invalid` when the client asks for none. */
export function acceptWebSocket(c: AppContext, serve: (socket: WebSocket) => void): Response {
  const offer = c.env?.upgrade;
  if (offer === undefined)
    throw invalid('This address speaks WebSocket. Connect to it with ws:// or wss://.');
  offer.accept(serve);
  return c.body(null, 200);
}

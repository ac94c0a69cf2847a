// The requests to a remote tool server: what it answers is cut off where one message of it gets too large, and slowed down.
import { setTimeout as pause } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { AnswerTooLarge, MESSAGE_BYTES } from './limits.ts';

const NEWLINE = 10;
const RETURN = 13;
/** What is handed on in one go: a few hundred messages, if they are short. */
const PART_BYTES = 8_192;
/** So much of a stream is taken, then others get their turn for a while. */
const EVENTS_AT_ONCE = 50;
const BYTES_AT_ONCE = 262_144;
const PAUSE_MS = 50;
/** Between two streams of a connection: a server may ask to be called again at once, for ever. */
const RECONNECT_MS = 250;

/**
 * A fetch for one connection. Its bodies fail with `AnswerTooLarge` once a message is too large; a stream of events may go
 * on for ever, but is slowed down to 5 MB a second, and less when its events are short.
 */
export function limitedFetch(innermost: FetchLike): FetchLike {
  let nextStreamAt = 0;
  const inTurn = async (signal: AbortSignal | null | undefined): Promise<void> => {
    const now = performance.now();
    const at = Math.max(now, nextStreamAt);
    nextStreamAt = at + RECONNECT_MS;
    if (at > now) await pause(at - now, undefined, signal ? { signal } : {});
  };
  return async (url, init) => {
    if (asksForStream(init)) await inTurn(init?.signal);
    const response = await innermost(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(isStream ? limitedEvents() : limitedMessage());
    const limited = new Response(body, { status, statusText, headers });
    // What redirects are judged by: a response that is made here has no address.
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };
}

function asksForStream(init: RequestInit | undefined): boolean {
  const accepted = new Headers(init?.headers).get('accept') ?? '';
  return (init?.method ?? 'GET') === 'GET' && accepted.includes('text/event-stream');
}

function limitedMessage(): TransformStream<Uint8Array, Uint8Array> {
  let counted = 0;
  return new TransformStream({
    transform(piece, controller) {
      counted += piece.length;
      if (counted > MESSAGE_BYTES) controller.error(new AnswerTooLarge());
      else controller.enqueue(piece);
    },
  });
}

function limitedEvents(): TransformStream<Uint8Array, Uint8Array> {
  const isEnd = eventEnds();
  let counted = 0;
  let events = 0;
  let bytes = 0;
  const count = (part: Uint8Array): void => {
    bytes += part.length;
    for (const byte of part) {
      const ends = isEnd(byte);
      counted = ends ? 0 : counted + 1;
      if (ends) events += 1;
    }
  };
  return new TransformStream({
    async transform(piece, controller) {
      for (let from = 0; from < piece.length; from += PART_BYTES) {
        const part = piece.subarray(from, from + PART_BYTES);
        count(part);
        if (counted > MESSAGE_BYTES) return controller.error(new AnswerTooLarge());
        controller.enqueue(part);
        if (events < EVENTS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
        events = 0;
        bytes = 0;
        await pause(PAUSE_MS);
      }
    },
  });
}

/** Whether a byte ends an empty line, which ends an event, whatever pieces the bytes come in. */
function eventEnds(): (byte: number) => boolean {
  let isEmpty = true;
  let isAfterReturn = false;
  return (byte) => {
    const isSecondHalf = byte === NEWLINE && isAfterReturn;
    isAfterReturn = byte === RETURN;
    if (isSecondHalf) return false;
    const isLineEnd = byte === NEWLINE || byte === RETURN;
    const ends = isLineEnd && isEmpty;
    isEmpty = isLineEnd;
    return ends;
  };
}

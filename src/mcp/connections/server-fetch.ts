// Requests to a remote tool server. They go only to addresses that were checked, whatever its name leads to.
// No message of a response is larger than the limit.
import type { IncomingMessage } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { atMost } from '../../at-most.ts';
import { hostOf, isReachable } from '../../network/address-rules.ts';
import { checkedHost, type Resolve, type ResolvedAddress } from '../../network/checked-host.ts';
import { decompressed } from '../../network/decompressed.ts';
import { pinnedRequest } from '../../network/pinned-request.ts';
import { MESSAGE_BYTES, ResponseTooLarge } from '../server-failure.ts';

const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const METHODS = ['GET', 'POST', 'DELETE'] as const;

/** The server has an address that is never reached. The message is a clause that people may read. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused';

  constructor() {
    super(
      'its name leads to an address that is never reached, such as that where a cloud keeps its credentials',
    );
  }
}

/**
 * Allows internal addresses, because an administrator named them. Throws `AddressRefused`, or an error for an
 * unknown name.
 */
export async function serverAddresses(url: URL, resolve: Resolve): Promise<readonly ResolvedAddress[]> {
  const host = hostOf(url);
  const checked = await checkedHost(host, resolve, (address) => isReachable(address, 'lan'));
  switch (checked.kind) {
    case 'reachable':
      return checked.addresses;
    case 'inside':
      throw new AddressRefused();
    case 'unknown':
      throw new Error('The name of the server is not known.');
  }
}

/** Resolves the name for each request. Redirects are returned, and following one is checked here again. */
export function createCheckedFetch(resolve: Resolve): FetchLike {
  return async (address, init = {}) => {
    const url = new URL(address);
    const signal = init.signal ?? new AbortController().signal;
    const addresses = await serverAddresses(url, resolve);
    signal.throwIfAborted();
    const message = await pinnedRequest({
      url,
      addresses,
      signal,
      method: METHODS.find((it) => it === init.method) ?? 'GET',
      headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
      ...(typeof init.body === 'string' && { body: init.body }),
    });
    try {
      return responseOf(message, url);
    } catch (error) {
      // The status or a header is invalid, so the body is not read.
      message.destroy();
      throw error;
    }
  };
}

function responseOf(message: IncomingMessage, url: URL): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const isBodiless = BODILESS.has(status);
  if (isBodiless) message.resume();
  const body = isBodiless ? null : ReadableStream.from(decompressed(message));
  return responseFrom(url.href, body, { status, statusText, headers });
}

/** Sets the address by which redirects are judged: a new `Response` has none. */
function responseFrom(url: string, body: ReadableStream | null, init: ResponseInit): Response {
  return Object.defineProperty(new Response(body, init), 'url', { value: url });
}

const NEWLINE = 10;
const RETURN = 13;
/** Bytes passed on in one piece: a few hundred messages, if they are short. */
const PART_BYTES = 8_192;
/** After this many events or bytes of a stream, others get their turn for a while. */
const EVENTS_AT_ONCE = 50;
const BYTES_AT_ONCE = 262_144;
const PAUSE_MS = 50;
/** Between two streams of a connection: a server may ask to be called again immediately, without end. */
const RECONNECT_MS = 250;

/** Too large a message fails the body with `ResponseTooLarge`. Event streams are slowed to 5 MB a second. */
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
    const tooLarge = () => new ResponseTooLarge();
    const pieces = isStream ? limitedEvents(response.body) : atMost(response.body, MESSAGE_BYTES, tooLarge);
    return responseFrom(response.url, ReadableStream.from(pieces), { status, statusText, headers });
  };
}

function asksForStream(init: RequestInit | undefined): boolean {
  const accepted = new Headers(init?.headers).get('accept') ?? '';
  return (init?.method ?? 'GET') === 'GET' && accepted.includes('text/event-stream');
}

async function* limitedEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
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
  for await (const piece of pieces) {
    for (let from = 0; from < piece.length; from += PART_BYTES) {
      const part = piece.subarray(from, from + PART_BYTES);
      count(part);
      if (counted > MESSAGE_BYTES) throw new ResponseTooLarge();
      yield part;
      if (events < EVENTS_AT_ONCE && bytes < BYTES_AT_ONCE) continue;
      events = 0;
      bytes = 0;
      await pause(PAUSE_MS);
    }
  }
}

/** Makes a check whether a byte ends an empty line, and so an event, wherever the pieces are cut. */
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

// The requests to a remote tool server: what it answers is cut off where one message of it gets too large.
import type { FetchLike } from '@modelcontextprotocol/client';
import { MESSAGE_BYTES } from './limits.ts';

const NEWLINE = 10;
const RETURN = 13;

/** A fetch whose bodies fail with an error once a message is too large; a stream of events may go on for ever. */
export function limitedFetch(innermost: FetchLike): FetchLike {
  return async (url, init) => {
    const response = await innermost(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const { status, statusText, headers } = response;
    const limited = new Response(response.body.pipeThrough(limiting(isStream)), {
      status,
      statusText,
      headers,
    });
    // What redirects are judged by: a response that is made here has no address.
    Object.defineProperty(limited, 'url', { value: response.url });
    return limited;
  };
}

/** Counts since the last empty line, which ends an event. */
function limiting(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let counted = 0;
  return new TransformStream({
    transform(piece, controller) {
      const end = isStream ? lastEmptyLine(piece) : -1;
      counted = end === -1 ? counted + piece.length : piece.length - end;
      if (counted > MESSAGE_BYTES) controller.error(new Error('The answer is too large.'));
      else controller.enqueue(piece);
    },
  });
}

function lastEmptyLine(piece: Uint8Array): number {
  for (let at = piece.lastIndexOf(NEWLINE); at > 0; at = piece.lastIndexOf(NEWLINE, at - 1)) {
    const before = piece[at - 1] === RETURN ? at - 2 : at - 1;
    if (piece[before] === NEWLINE) return at;
  }
  return -1;
}

// A streamed chat-completion response whose small events are joined where they arrived together.
import { EventJoiner } from './event-joiner.ts';
import type { JoinedPieces } from './joined-pieces.ts';

/** The response itself when it is no stream of events. `pieces` learns what was joined. */
export function joinedResponse(response: Response, pieces: JoinedPieces): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.ok || response.body === null || !isStream) return response;
  const { status, statusText, headers } = response;
  return new Response(joinedBody(response.body, pieces), { status, statusText, headers });
}

function joinedBody(body: ReadableStream<Uint8Array>, pieces: JoinedPieces): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const joiner = new EventJoiner((lengths) => pieces.add(lengths));
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          controller.enqueue(encoder.encode(joiner.push(decoder.decode()) + joiner.end()));
          controller.close();
          return;
        }
        const text = joiner.push(decoder.decode(value, { stream: true }));
        if (text === '') continue;
        controller.enqueue(encoder.encode(text));
        return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

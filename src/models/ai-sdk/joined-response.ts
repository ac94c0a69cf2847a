// A streamed chat-completion response without the text that takes the shortcut, and with small events joined.
import { EventJoiner } from './event-joiner.ts';
import type { ReadPace } from './read-pace.ts';
import type { TextShortcut } from './text-shortcut.ts';

export interface JoinParts {
  readonly shortcut: TextShortcut;
  readonly pace: ReadPace;
}

/** The response itself when it is no stream of events. */
export function joinedResponse(response: Response, parts: JoinParts): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.ok || response.body === null || !isStream) return response;
  const { status, statusText, headers } = response;
  return new Response(joinedBody(response.body, parts), { status, statusText, headers });
}

function joinedBody(
  body: ReadableStream<Uint8Array>,
  { shortcut, pace }: JoinParts,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const joiner = new EventJoiner(shortcut);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const end = pace.begin();
  reader.closed.then(end, end);
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
        if (text !== '') {
          controller.enqueue(encoder.encode(text));
          return;
        }
        const wait = shortcut.space() ?? pace.pause(value.length);
        if (wait !== undefined) await wait;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

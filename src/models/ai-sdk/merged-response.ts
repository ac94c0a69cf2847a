// A streamed chat-completion response whose small events are joined where they arrived together.
import { DeltaMerger } from './merge-deltas.ts';

/** The response itself when it is no stream of events. */
export function mergedResponse(response: Response): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!response.ok || response.body === null || !isStream) return response;
  const { status, statusText, headers } = response;
  return new Response(mergedBody(response.body), { status, statusText, headers });
}

function mergedBody(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const merger = new DeltaMerger();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) {
          controller.enqueue(encoder.encode(merger.push(decoder.decode()) + merger.end()));
          controller.close();
          return;
        }
        const text = merger.push(decoder.decode(value, { stream: true }));
        if (text === '') continue;
        controller.enqueue(encoder.encode(text));
        return;
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

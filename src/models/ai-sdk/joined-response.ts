// An answer as the package wants it: a response, of a streamed chat completion without the text that takes the
// shortcut, and with small events joined.
import type { ByteSource } from './byte-source.ts';
import { EventJoiner } from './event-joiner.ts';
import type { HttpAnswer } from './http-exchange.ts';
import type { ReadPace } from './read-pace.ts';
import type { TextShortcut } from './text-shortcut.ts';

export interface JoinParts {
  readonly shortcut: TextShortcut;
  readonly pace: ReadPace;
}

/** What is no stream of events stays as it is. */
export function joinedResponse({ bytes, ...head }: HttpAnswer, parts: JoinParts): Response {
  const isStream = head.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  const isOk = head.status >= 200 && head.status < 300;
  if (!isOk || bytes === undefined || !isStream) return plainResponse({ bytes, ...head });
  return new Response(joinedBody(bytes, parts), head);
}

export function plainResponse({ bytes, ...head }: HttpAnswer): Response {
  return new Response(bytes === undefined ? null : plainBody(bytes), head);
}

function plainBody(bytes: ByteSource): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const value = await bytes.read();
      if (value === undefined) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => bytes.cancel(reason),
  });
}

function joinedBody(bytes: ByteSource, { shortcut, pace }: JoinParts): ReadableStream<Uint8Array> {
  const joiner = new EventJoiner(shortcut);
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const end = pace.begin();
  const read = async () => {
    try {
      const value = await bytes.read();
      if (value === undefined) end();
      return value;
    } catch (thrown) {
      end();
      throw thrown;
    }
  };
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      for (;;) {
        const value = await read();
        if (value === undefined) {
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
    cancel: (reason) => {
      end();
      return bytes.cancel(reason);
    },
  });
}

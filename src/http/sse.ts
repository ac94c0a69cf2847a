// Frames to bytes: one Server-Sent Events body per reader, pulled at the reader's pace.
import type { NumberedFrame } from '../runs/run-frames.ts';

export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Called once: the reader left, the stream ended, or it broke off because of the error. */
export type OnClose = (reason: 'left' | 'ended' | 'broken', error?: unknown) => void;

/** A comment without the blank line after it: older SDKs turn one with a blank line into an empty event. */
const HEARTBEAT = ':\n';
export const HEARTBEAT_MS = 5_000;

/**
 * The body of a stream. A batch becomes one chunk, asked for only when the one before was taken, so a slow reader
 * holds one chunk. In silence a heartbeat comes every `heartbeatMs`. `onClose` is called once, when the reader left
 * or the stream ended.
 */
export function sseBody(
  frames: AsyncGenerator<readonly NumberedFrame[], void, void>,
  options: { readonly onClose: OnClose; readonly heartbeatMs?: number },
): ReadableStream<Uint8Array> {
  const texts = mapBatches(frames);
  return keptAlive(texts, { heartbeat: HEARTBEAT, heartbeatMs: HEARTBEAT_MS, ...options });
}

async function* mapBatches(frames: AsyncGenerator<readonly NumberedFrame[], void, void>) {
  for await (const batch of frames) yield frameText(batch);
}

/** The text of frames as SSE wants it: data on one line, an id, a blank line. */
function frameText(frames: readonly NumberedFrame[]): string {
  let text = '';
  for (const { event, data, id } of frames) text += `event: ${event}\ndata: ${data}\nid: ${id}\n\n`;
  return text;
}

interface KeptAliveOptions {
  readonly heartbeat: string;
  readonly heartbeatMs: number;
  readonly onClose: OnClose;
}

/** A body of texts with a heartbeat in their silences. */
export function keptAlive(
  texts: AsyncGenerator<string, void, void>,
  options: KeptAliveOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next: Promise<IteratorResult<string, void>> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= texts.next();
        const result = await withinHeartbeat(next, options.heartbeatMs).catch((error: unknown) => {
          options.onClose('broken', error);
          throw error;
        });
        if (result === 'silence') {
          controller.enqueue(encoder.encode(options.heartbeat));
          return;
        }
        next = undefined;
        if (result.done === true) {
          options.onClose('ended');
          controller.close();
        } else controller.enqueue(encoder.encode(result.value));
      },
      async cancel() {
        options.onClose('left');
        await texts.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function withinHeartbeat<T>(next: Promise<T>, heartbeatMs: number): Promise<T | 'silence'> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<'silence'>((resolve) => {
    timer = setTimeout(resolve, heartbeatMs, 'silence');
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
}

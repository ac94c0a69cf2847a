// Converts frames to bytes: one body of Server-Sent Events per reader, at the reader's pace.
import type { NumberedFrame } from '../../runs/reading/run-frames.ts';
import { textSlices } from '../../text-slices.ts';
import {
  type LiveBody,
  type LiveBodyOptions,
  type LiveText,
  liveBody,
  type OnClose,
} from '../transport/live-body.ts';

export const SSE_HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** A comment without a blank line after it: older SDKs turn one with a blank line into an empty event. */
export const HEARTBEAT = ':\n';
export const HEARTBEAT_MS = 5_000;

/**
 * Returns the body of a stream. Each batch becomes one chunk, requested only after the previous one was
 * taken, so a slow reader holds one chunk. A silent stream sends heartbeats. `onClose` is called once, when
 * the reader left or the stream ended.
 */
export function sseBody(
  frames: AsyncGenerator<readonly NumberedFrame[], void, void>,
  onClose: OnClose,
): LiveBody {
  return liveBody(frames, frameText, { heartbeat: HEARTBEAT, heartbeatMs: HEARTBEAT_MS, onClose });
}

/** Returns the text of frames in SSE format: data on one line, an id, a blank line. */
function frameText(frames: readonly NumberedFrame[]): LiveText {
  let text = '';
  for (const { event, data, id } of frames) {
    if (typeof data !== 'string') return frameSlices(frames);
    text += `event: ${event}\ndata: ${data}\nid: ${id}\n\n`;
  }
  return withoutLineEnds(text);
}

function* frameSlices(frames: readonly NumberedFrame[]): Generator<string, void, void> {
  for (const slice of textSlices(framePieces(frames))) yield withoutLineEnds(slice);
}

function* framePieces(frames: readonly NumberedFrame[]): Generator<string, void, void> {
  for (const { event, data, id } of frames) {
    yield `event: ${event}\ndata: `;
    if (typeof data === 'string') yield data;
    else yield* data.pieces();
    yield `\nid: ${id}\n\n`;
  }
}

/**
 * Escapes the Unicode line ends in frames with JSON data. JSON allows them unescaped, but a client that
 * splits lines at them, as Python's `splitlines` does, would cut the data.
 */
export function withoutLineEnds(text: string): string {
  // Separate searches cost next to nothing in a text without line ends.
  const isWithout = !(text.includes('\u0085') || text.includes('\u2028') || text.includes('\u2029'));
  return isWithout ? text : text.replace(/[\u0085\u2028\u2029]/g, (end) => ESCAPES[end] ?? end);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\u0085': '\\u0085',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** Returns a body of texts with heartbeats during silence. */
export function keptAlive(texts: AsyncGenerator<string, void, void>, options: LiveBodyOptions): LiveBody {
  return liveBody(texts, (text) => text, options);
}

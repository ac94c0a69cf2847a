// What a reader of a run can ask to be shown, and the frames it is shown (docs/contract/streaming.md#modes).
import type { StateDelta, ThreadState } from '../../messages/thread-state.ts';

export const STREAM_MODES = [
  'values',
  'messages-tuple',
  'messages',
  'custom',
  'updates',
  'events',
  'debug',
  'tasks',
  'checkpoints',
] as const;

export type StreamMode = (typeof STREAM_MODES)[number];

/** A text of megabytes that is not put together: whoever writes it writes its pieces. */
interface LongText {
  readonly length: number;
  readonly pieces: () => Iterable<string>;
}

/** One frame: its event name and its data as one line of JSON. */
export interface Frame {
  readonly event: string;
  readonly data: string | LongText;
  /** The id of the message that it shows as far as it is written: a later frame of that message says it all again. */
  readonly partialOf?: string;
}

/** The state that an event stands for; loaded by the reader only for modes that show it. */
export interface ShownState {
  readonly state: ThreadState;
  /** What a `state` event changed; empty for other events. */
  readonly delta: StateDelta;
  /** The pieces of its message are gone: readers of messages are shown it whole. */
  readonly whole: boolean;
}

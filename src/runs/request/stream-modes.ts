// The modes that a reader of a run can request, and the frames it gets (docs/contract/streaming.md#modes).
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

/** A text of megabytes that is not joined: its pieces are written one by one. */
interface LongText {
  readonly length: number;
  readonly pieces: () => Iterable<string>;
}

/** One frame: its event name and its data as one line of JSON. */
export interface Frame {
  readonly event: string;
  readonly data: string | LongText;
  /** The id of the message that it shows so far. A later frame of that message repeats all of it. */
  readonly partialOf?: string;
}

/** The state of an event. The reader loads it only for modes that show it. */
export interface ShownState {
  readonly state: ThreadState;
  /** The changes of a `state` event; empty for other events. */
  readonly delta: StateDelta;
  /** True when the pieces of its message are gone, so that readers of messages are shown it whole. */
  readonly whole: boolean;
}

// The ids of frames, `<seq>-<k>-<epoch>`, and what a reader says with one that it comes back with. Pure.

/** The last frame that a reader has seen: `{seq: 0, index: 0}` for none. */
export interface FramePosition {
  readonly seq: number;
  /** How many frames of the event at `seq` were seen; `Infinity` for all. */
  readonly index: number;
  /** The epoch of the event; absent from ids that are older than epochs are. */
  readonly epoch?: string | undefined;
}

export const FROM_THE_START: FramePosition = { seq: 0, index: Number.POSITIVE_INFINITY };

/** Reads `Last-Event-ID`: `n-k-epoch`, `n-k`, a bare `n` (the whole event was seen), `-1` or anything else: from the start. */
export function framePosition(lastEventId: string | undefined): FramePosition {
  const match = /^(\d{1,15})(?:-(\d{1,9})(?:-([0-9a-z]{1,32}))?)?$/.exec(lastEventId ?? '');
  if (match === null) return FROM_THE_START;
  const [, seq, index, epoch] = match;
  return {
    seq: Number(seq),
    index: index === undefined ? Number.POSITIVE_INFINITY : Number(index) + 1,
    epoch,
  };
}

/** The id of a frame: the place of its event, its own among the frames of that, and the epoch of both. */
export function frameId(seq: number, index: number, epoch: string | undefined): string {
  return epoch === undefined ? `${seq}-${index}` : `${seq}-${index}-${epoch}`;
}

/** No event has as many frames. */
const LAST_INDEX = 999_999_999;

/** The id that stands for the position; `undefined`: nothing was seen. */
export function idAt({ seq, index, epoch }: FramePosition): string | undefined {
  if (seq === 0) return undefined;
  if (Number.isFinite(index)) return frameId(seq, index - 1, epoch);
  return epoch === undefined ? String(seq) : frameId(seq, LAST_INDEX, epoch);
}

// The ids of frames, `<seq>-<k>-<epoch>`, and the position that a returning reader names with one. Pure.

/** The last frame that a reader has seen. `FROM_THE_START` for none. */
export interface FramePosition {
  readonly seq: number;
  /** How many frames of the event at `seq` were seen; `Infinity` for all. */
  readonly index: number;
  /** The epoch of the event; absent from ids that are older than epochs. */
  readonly epoch?: string | undefined;
}

export const FROM_THE_START: FramePosition = { seq: 0, index: Number.POSITIVE_INFINITY };

/** Reads `Last-Event-ID`: `n-k-epoch`, `n-k`, `n` (the whole event). `-1` and others mean from the start. */
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

/** Returns a frame's id: the position of its event, its index among that event's frames, and the epoch. */
export function frameId(seq: number, index: number, epoch: string | undefined): string {
  return epoch === undefined ? `${seq}-${index}` : `${seq}-${index}-${epoch}`;
}

/** No event has so many frames. */
const LAST_INDEX = 999_999_999;

/** Returns the id for the position; `undefined` if nothing was seen. */
export function idAt({ seq, index, epoch }: FramePosition): string | undefined {
  if (seq === 0) return undefined;
  if (Number.isFinite(index)) return frameId(seq, index - 1, epoch);
  return epoch === undefined ? String(seq) : frameId(seq, LAST_INDEX, epoch);
}

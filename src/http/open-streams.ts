// The streams that each user has open: past a number the oldest one gives way (reliability of everybody else).

export interface OpenStreams {
  /** Takes a stream in, closing the user's oldest one when there are too many; answers how to let it go. */
  open(userId: string, stream: AbortController): () => void;
}

/** A stream that is closed here ends without an `end` frame, so its client may come back for the rest. */
export function createOpenStreams(maxPerUser: number): OpenStreams {
  const streams = new Map<string, Set<AbortController>>();
  return {
    open(userId, stream) {
      const own = streams.get(userId) ?? new Set();
      streams.set(userId, own.add(stream));
      const [oldest] = own;
      if (own.size > maxPerUser && oldest !== undefined) {
        own.delete(oldest);
        oldest.abort();
      }
      return () => {
        own.delete(stream);
        if (own.size === 0 && streams.get(userId) === own) streams.delete(userId);
      };
    },
  };
}

// The calls of MCP clients that wait, by the names under which their clients cancel them.

/** A client of the 2025 revisions numbers its calls, and cancels one in a request of its own. */
interface CallName {
  readonly userId: string;
  /** Told to the client when it began and sent back by it; absent for clients that do not send it. */
  readonly session: string | undefined;
  readonly id: string | number;
}

export interface OpenCalls {
  /** Runs the work with a signal that aborts when the client cancels the call in this process. */
  during<T>(call: CallName, work: (cancelled: AbortSignal) => Promise<T>): Promise<T>;
  /** Nothing happens for a call that is not open. */
  cancel(call: CallName): void;
}

export function createOpenCalls(): OpenCalls {
  const open = new Map<string, AbortController>();
  return {
    async during(call, work) {
      const name = nameOf(call);
      const cancelled = new AbortController();
      // Without a session two clients of a user may have calls of the same number: neither cancels that of the other.
      if (call.session === undefined) return work(cancelled.signal);
      open.set(name, cancelled);
      try {
        return await work(cancelled.signal);
      } finally {
        if (open.get(name) === cancelled) open.delete(name);
      }
    },
    cancel: (call) => open.get(nameOf(call))?.abort(),
  };
}

function nameOf({ userId, session, id }: CallName): string {
  return JSON.stringify([userId, session ?? null, id]);
}

// How a process ends, and the listener for its output.

export type OutputStream = 'stdout' | 'stderr';

/** Why the service killed a process. */
export type StopCause = 'timeout' | 'cancelled' | 'output' | 'memory' | 'processes' | 'disk' | 'quota';

export type ProcessOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  /** The system killed it, for example at a limit of CPU time or file size. */
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly cause: StopCause }
  /** It never started. The sentence is for the model and reveals nothing about this machine. */
  | { readonly kind: 'failed'; readonly message: string };

/** Receives the output of a process as it arrives, cut at any byte. */
export interface OutputListener {
  take(stream: OutputStream, piece: Uint8Array): void;
  /** No more output follows. */
  end(): void;
}

/** Returns a listener that collects standard output and ignores standard error. */
export function collectedOutput(): { readonly output: OutputListener; readonly stdout: () => Buffer } {
  const pieces: Uint8Array[] = [];
  const output: OutputListener = {
    take: (stream, piece) => void (stream === 'stdout' && pieces.push(piece)),
    end() {},
  };
  return { output, stdout: () => Buffer.concat(pieces) };
}

// How a process ends, and what of it is told.

export type OutputStream = 'stdout' | 'stderr';

/** Why a process was killed by us. */
export type StopCause = 'timeout' | 'cancelled' | 'output' | 'memory' | 'processes' | 'disk' | 'quota';

export type ProcessOutcome =
  | { readonly kind: 'exited'; readonly code: number }
  /** The system killed it, for instance at a limit of CPU time or file size. */
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'stopped'; readonly cause: StopCause }
  /** It never began: the sentence is for the model and names nothing of this machine. */
  | { readonly kind: 'failed'; readonly message: string };

/** Hears what a process says, as it says it, cut anywhere. */
export interface OutputListener {
  take(stream: OutputStream, piece: Uint8Array): void;
  /** Nothing more comes. */
  end(): void;
}

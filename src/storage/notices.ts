// Notices between the processes on one database, which spare them polling. A notice is a hint to check, never
// a fact: it has ids and no contents, and may arrive late, twice or not at all.

export type Notice =
  /** The run has new rows, or it has ended. */
  | { readonly kind: 'run'; readonly runId: string }
  /** A cancel was requested for the run, and the worker that executes it does not know yet. */
  | { readonly kind: 'cancel'; readonly runId: string }
  /** A run was accepted on the thread, or the thread was deleted. */
  | { readonly kind: 'thread'; readonly threadId: string }
  /** The list of the user's threads has changed. `threadId`: the thread that changed, if known. */
  | { readonly kind: 'list'; readonly userId: string; readonly threadId?: string | undefined }
  /** Runs wait for which the process that accepted them has no capacity. */
  | { readonly kind: 'waiting' }
  /** A process has stopped. Other processes continue its background work, started or due. */
  | { readonly kind: 'left' }
  /** Anything may have happened. Every process checks for work. */
  | { readonly kind: 'missed' };

export interface Notices {
  /** Starts passing notices of other processes to `onNotice`. */
  start(onNotice: (notice: Notice) => void): void;
  /** Notifies all other processes soon. Call it after the change is committed. */
  send(notice: Notice): void;
  /**
   * Returns whether notices of other processes arrive. While they do not, callers poll often. When this
   * changes, `onNotice` receives `missed`.
   */
  arrive(): boolean;
  /** Sends pending notices and stops listening. */
  stop(): Promise<void>;
}

/**
 * For a process that is alone on its database: there is no other process to notify, and nothing is missed.
 */
export const NO_OTHERS: Notices = {
  start: () => {},
  send: () => {},
  arrive: () => true,
  stop: async () => {},
};

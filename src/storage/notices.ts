// What the processes on one database tell one another, so that nobody has to look for what has not happened. A notice is a
// hint to look, never a fact: it has ids and no contents, and may come late, twice or not at all.

export type Notice =
  /** There is more in the rows of the run than before, or it has ended. */
  | { readonly kind: 'run'; readonly runId: string }
  /** Somebody asked to end the run, and whoever executes it does not know yet. */
  | { readonly kind: 'cancel'; readonly runId: string }
  /** A run was accepted on the thread, or the thread was deleted. */
  | { readonly kind: 'thread'; readonly threadId: string }
  /** Something that a list of the user's threads shows is another than before; of which thread, if one is known. */
  | { readonly kind: 'list'; readonly userId: string; readonly threadId?: string | undefined }
  /** Runs wait that the process which accepted them has no room for. */
  | { readonly kind: 'waiting' }
  /** A process has stopped: what it was at in the background, or knew to be due, others go on with. */
  | { readonly kind: 'left' }
  /** Anything may have happened: everybody looks. */
  | { readonly kind: 'missed' };

export interface Notices {
  /** From now on notices of other processes are given to `onNotice`. */
  start(onNotice: (notice: Notice) => void): void;
  /** Tells all other processes, soon. Call it when what it is about is committed. */
  send(notice: Notice): void;
  /**
   * Whether notices of other processes arrive. While they do not, whoever waits for something looks for it often. When this
   * changes, `missed` is given to `onNotice`.
   */
  arrive(): boolean;
  /** Sends what is to be sent, and hears no more. */
  stop(): Promise<void>;
}

/** For a process that alone works on its database: nobody is to be told, and nothing is missed. */
export const NO_OTHERS: Notices = {
  start: () => {},
  send: () => {},
  arrive: () => true,
  stop: async () => {},
};

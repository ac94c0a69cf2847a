// Messages that the service may not have yet. They survive reloads, and are sent once when the service can be
// reached.
import type { Api } from '../api/api.ts';
import type { Connection } from '../api/connection.ts';
import { newMessage, toSentFile } from '../api/sent-message.ts';
import { RequestError } from '../api/service-error.ts';
import { type KeptEntries, keptEntries, type OutboxEntry } from './outbox-entries.ts';

type Taken = OutboxEntry & { readonly state: 'taken'; readonly runId: string };

/** `taken`: the service has accepted it as this run. */
export type OutboxItem = (OutboxEntry & { readonly state: 'waiting' | 'sending' | 'refused' }) | Taken;

type TakenOutcome = Extract<SendOutcome, { kind: 'taken' }>;

export type NewEntry = Pick<OutboxEntry, 'threadId' | 'isNew' | 'text' | 'files' | 'options'>;

export interface Outbox {
  /** Opens the outbox of this person with their earlier messages. Undefined without a signed-in user. */
  readonly open: (userId: string | undefined) => void;
  /**
   * All messages in the order in which they were written. The list stays the same object until something
   * changes.
   */
  readonly items: () => readonly OutboxItem[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly add: (entry: NewEntry) => void;
  /** Holds a message back while the person edits its text. */
  readonly hold: (id: string) => void;
  /** Sends a held message with the new text, or unchanged. Returns whether the message was still there. */
  readonly release: (id: string, text: string | undefined) => boolean;
  /** Removes a message that is not to be sent, or that is now shown elsewhere. */
  readonly remove: (id: string) => void;
}

interface OutboxParts {
  readonly api: Api;
  readonly connection: Connection;
  readonly newId: () => string;
  readonly now?: () => number;
}

/** The service remembers the keys of messages for a day. */
const SURE_MS = 23 * 3_600_000;
/** The pause before the next attempt after an error of the service. */
const REST_MS = 5_000;
const TOO_OLD =
  'It was sent a day ago without a response. Check whether it arrived before you send it again.';
const OTHER_WORDS = 'An earlier version was already sent.';

export function createOutbox({ api, connection, newId, now = Date.now }: OutboxParts): Outbox {
  let kept: KeptEntries | undefined;
  /** False after the session has ended. */
  let maySend = false;
  let sending: Promise<void> | undefined;
  let rest: ReturnType<typeof setTimeout> | undefined;
  let taken: readonly Taken[] = [];
  let items: readonly OutboxItem[] = [];
  const listeners = new Set<() => void>();
  const isOpen = () => maySend && rest === undefined && connection.state() === 'online';

  function change(): void {
    const known = new Set(taken.map(({ id }) => id));
    const others = (kept?.all() ?? []).filter(({ id }) => !known.has(id));
    items = [...taken, ...others.map((it) => ({ ...it, state: stateOf(it, isOpen()) }))];
    for (const listener of listeners) listener();
  }

  async function sendAll(own: KeptEntries): Promise<void> {
    for (;;) {
      const entry = own === kept && isOpen() ? own.next() : undefined;
      if (entry === undefined) return;
      const { triedAt = now() } = entry;
      const tried = { ...entry, triedAt };
      own.keep(tried);
      const isSure = now() - triedAt <= SURE_MS;
      settle(own, tried, isSure ? await sendEntry(api, tried) : { kind: 'refused', reason: TOO_OLD });
      change();
    }
  }

  function settle(own: KeptEntries, entry: OutboxEntry, outcome: SendOutcome): void {
    if (outcome.kind === 'refused') own.keep({ ...entry, refusal: outcome.reason });
    if (outcome.kind === 'signed_out') maySend = false;
    if (outcome.kind === 'unanswered') rest = setTimeout(goOn, REST_MS);
    if (outcome.kind === 'taken') settleTaken(own, entry, outcome);
  }

  function settleTaken(own: KeptEntries, entry: OutboxEntry, { runId, text }: TakenOutcome): void {
    own.drop(entry.id);
    // The thread exists by now, so the rejected text stays in it.
    if (text !== entry.text) own.keep({ ...entry, id: newId(), isNew: false, refusal: OTHER_WORDS });
    if (own === kept) taken = [...taken, { ...entry, text, state: 'taken', runId }];
  }

  function goOn(): void {
    clearTimeout(rest);
    rest = undefined;
    change();
    start();
  }

  function start(): void {
    const own = kept;
    if (sending !== undefined || own?.next() === undefined || !isOpen()) return;
    sending = alone(`outbox:${own.userId}`, () => sendAll(own))
      .catch((error: unknown) => {
        reportError(error);
        rest = setTimeout(goOn, REST_MS);
      })
      .finally(() => {
        sending = undefined;
        // A message may have been added after the last check, before the lock was released.
        start();
      });
  }

  connection.subscribe(() => (connection.state() === 'online' ? goOn() : change()));
  // Other tabs of the same browser share the storage.
  window.addEventListener('storage', change);

  const release: Outbox['release'] = (id, text) => {
    const entry = kept?.get(id);
    if (entry === undefined) return false;
    const { isHeld: _, ...released } = entry;
    kept?.keep({ ...released, ...(text === undefined ? {} : { text }) });
    change();
    start();
    return true;
  };

  return {
    open(userId) {
      maySend = userId !== undefined;
      // Everything continues after the same person signs in again.
      if (userId !== undefined && userId !== kept?.userId) {
        kept = keptEntries(userId);
        taken = [];
        // These messages were being edited when the page was closed.
        for (const { id } of kept.all().filter(({ isHeld }) => isHeld)) release(id, undefined);
      }
      change();
      start();
    },
    items: () => items,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    add(entry) {
      const last = kept?.all().at(-1)?.writtenAt ?? 0;
      kept?.keep({ ...entry, id: newId(), writtenAt: Math.max(now(), last + 1) });
      change();
      start();
    },
    hold(id) {
      const entry = kept?.get(id);
      if (entry !== undefined) kept?.keep({ ...entry, isHeld: true });
      change();
    },
    release,
    remove(id) {
      kept?.drop(id);
      taken = taken.filter((it) => it.id !== id);
      change();
    },
  };
}

function stateOf({ refusal, isHeld }: OutboxEntry, isOpen: boolean): 'waiting' | 'sending' | 'refused' {
  if (refusal !== undefined) return 'refused';
  return isOpen && isHeld !== true ? 'sending' : 'waiting';
}

/**
 * Runs in one tab at a time, where the browser has locks. Elsewhere the service recognizes repeats by the key
 * of each message.
 */
function alone(name: string, work: () => Promise<void>): Promise<void> {
  return 'locks' in navigator ? navigator.locks.request(name, work) : work();
}

type SendOutcome =
  /** `text` is the text that arrived, which may be an earlier version. */
  | { readonly kind: 'taken'; readonly runId: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'signed_out' }
  /** It may or may not have arrived. Sent again within a day, it is accepted once. */
  | { readonly kind: 'unanswered' };

/** Never rejects. */
async function sendEntry(api: Api, entry: OutboxEntry): Promise<SendOutcome> {
  const { id, text, files, threadId, isNew, options } = entry;
  const message = newMessage({ text, files: files.map(toSentFile) }, id);
  try {
    const run = await api.startRun({ threadId, isNew, message, options });
    return { kind: 'taken', runId: run.run_id, text: run.text ?? text };
  } catch (error) {
    if (!(error instanceof RequestError)) return { kind: 'unanswered' };
    if (error.status === 401) return { kind: 'signed_out' };
    const isRefused = error.status >= 400 && error.status < 500;
    return isRefused ? { kind: 'refused', reason: error.message } : { kind: 'unanswered' };
  }
}

// What a person has sent and the service may not have yet: kept over reloads, and sent once when the service answers.
import type { Api } from '../api/api.ts';
import type { Connection } from '../api/connection.ts';
import { type KeptEntries, keptEntries } from './kept-entries.ts';
import type { OutboxEntry } from './outbox-entry.ts';
import { type SendOutcome, sendEntry } from './send-entry.ts';

type Taken = OutboxEntry & { readonly state: 'taken'; readonly runId: string };

/** `taken`: the service has it, and does what it says as this run. */
export type OutboxItem = (OutboxEntry & { readonly state: 'waiting' | 'sending' | 'refused' }) | Taken;

type TakenOutcome = Extract<SendOutcome, { kind: 'taken' }>;

export type NewEntry = Pick<OutboxEntry, 'threadId' | 'isNew' | 'text' | 'files' | 'options'>;

export interface Outbox {
  /** Keeps and sends what this person writes, and what they wrote before; undefined when nobody is signed in. */
  readonly open: (userId: string | undefined) => void;
  /** Everything, in the order in which it was written; the same list until something changes. */
  readonly items: () => readonly OutboxItem[];
  readonly subscribe: (listener: () => void) => () => void;
  readonly add: (entry: NewEntry) => void;
  /** Not sent while its words are changed. */
  readonly hold: (id: string) => void;
  /** With other words, or as it is. Whether it was still there. */
  readonly release: (id: string, text: string | undefined) => boolean;
  /** It is not sent any more, or is shown elsewhere from now on. */
  readonly remove: (id: string) => void;
}

interface OutboxParts {
  readonly api: Api;
  readonly connection: Connection;
  readonly newId: () => string;
  readonly now?: () => number;
}

/** The service knows for a day what it was sent. */
const SURE_MS = 23 * 3_600_000;
/** How long a service that stumbled is left alone. */
const REST_MS = 5_000;
const TOO_OLD =
  'It was sent a day ago and no answer came. Check whether it arrived before you send it again.';
const OTHER_WORDS = 'An earlier version was already sent.';

export function createOutbox({ api, connection, newId, now = Date.now }: OutboxParts): Outbox {
  let kept: KeptEntries | undefined;
  /** Not after the session of the person has ended. */
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
    if (text !== entry.text) own.keep({ ...entry, id: newId(), refusal: OTHER_WORDS });
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
        // What was written after the last look, while the lock was still given back.
        start();
      });
  }

  connection.subscribe(() => (connection.state() === 'online' ? goOn() : change()));
  // Other tabs of the same browser share what is kept.
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
      // Whoever signs in again goes on.
      if (userId !== undefined && userId !== kept?.userId) {
        kept = keptEntries(userId);
        taken = [];
        // What was being changed when the page was left.
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

/** One tab at a time, where the browser can tell; elsewhere the service tells by the key of each message. */
function alone(name: string, work: () => Promise<void>): Promise<void> {
  return 'locks' in navigator ? navigator.locks.request(name, work) : work();
}

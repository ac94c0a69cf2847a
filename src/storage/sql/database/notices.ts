// Notices between processes through Postgres, which delivers them to all listeners in commit order.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Log } from '../../../log.ts';
import { type CancelTimer, REAL_TIMERS, type Timers } from '../../../timers.ts';
import type { Notice, Notices } from '../../notices.ts';
import type { Database } from './database.ts';
import type { Heard, Listener } from './dialects/postgres-listener.ts';

const CHANNEL = 'agent_service';

/** Notices within this time are sent together. */
const GATHER_MS = 100;
const RETRY_MS = 1_000;
/** The server accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** Above this number, receivers check for everything instead. */
const MAX_PAYLOADS = 32;

/** How often this process checks that notifications arrive, and how long one may take to arrive. */
const PROBE_EVERY_MS = 20_000;
const PROBE_LIMIT_MS = 5_000;

interface NoticesParts {
  readonly database: Pick<Database, 'writeOnce'>;
  readonly listen: (channel: string, heard: Heard) => Listener;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly timers?: Timers;
}

export function createNotices(parts: NoticesParts): Notices {
  return new PostgresNotices(parts);
}

/** The kind and the ids of a notice. */
type Item = readonly string[];

class PostgresNotices implements Notices {
  readonly #parts: NoticesParts;
  readonly #timers: Timers;
  /** Identifies this process, which ignores its own notices. */
  readonly #me = randomUUID();
  #onNotice: (notice: Notice) => void = () => {};
  #listener: Listener | undefined;
  #arrive = false;
  #hasComplained = false;
  #probes = 0;
  #cancelProbe: CancelTimer = () => {};
  /** Keyed by text, so that each is sent once. */
  #pending = new Map<string, Item>();
  #sending: Promise<void> | undefined;
  #cancelSend: CancelTimer | undefined;
  #lastSent = Number.NEGATIVE_INFINITY;

  constructor(parts: NoticesParts) {
    this.#parts = parts;
    this.#timers = parts.timers ?? REAL_TIMERS;
  }

  start(onNotice: (notice: Notice) => void): void {
    this.#onNotice = onNotice;
    this.#listener = this.#parts.listen(CHANNEL, {
      onListening: () => this.#probe(),
      onPayload: (payload) => this.#hear(payload),
      onLost: (reason) => this.#lose(reason),
    });
  }

  arrive(): boolean {
    return this.#arrive;
  }

  send(notice: Notice): void {
    // Not started, as in a command beside the service.
    if (this.#listener === undefined) return;
    const item = toItem(notice);
    this.#pending.set(item.join('\n'), item);
    this.#sendLater();
  }

  async stop(): Promise<void> {
    const listener = this.#listener;
    if (listener === undefined) return;
    this.#listener = undefined;
    this.#cancelProbe();
    this.#cancelSend?.();
    await this.#sending;
    await this.#sendPending();
    this.#onNotice = () => {};
    await listener.stop();
  }

  #sendLater(): void {
    const isStopping = this.#listener === undefined;
    if (isStopping || this.#sending !== undefined) return;
    const ms = this.#lastSent + GATHER_MS - this.#timers.elapsed();
    this.#cancelSend ??= this.#timers.idlyAfter(Math.max(0, ms), () => {
      this.#sending = this.#sendPending().finally(() => {
        this.#sending = undefined;
        if (this.#pending.size > 0) this.#sendLater();
      });
    });
  }

  async #sendPending(): Promise<void> {
    this.#cancelSend = undefined;
    const items = [...this.#pending.values()];
    this.#pending = new Map();
    if (items.length === 0) return;
    try {
      await this.#notify(toPayloads(this.#me, items));
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'other processes could not be notified of changes; trying again');
      this.#pending.set(MISSED.join('\n'), MISSED);
      this.#lastSent = this.#timers.elapsed() + RETRY_MS;
      return;
    }
    this.#lastSent = this.#timers.elapsed();
  }

  /**
   * Runs in its own transaction after the one that it reports. Postgres commits notifying transactions one at
   * a time, and one that has written nothing else need not wait for the disk.
   */
  async #notify(payloads: readonly string[]): Promise<void> {
    await this.#parts.database.writeOnce((db) =>
      sql`select pg_notify(${CHANNEL}, payload) from unnest(cast(${payloads} as text[])) as payload`.execute(
        db,
      ),
    );
  }

  #hear(payload: string): void {
    const heard = toItems(payload);
    if (heard === undefined) {
      this.#parts.log.warn({ bytes: payload.length }, 'the database sent a notice that cannot be read');
      return;
    }
    if (heard.from === this.#me) {
      if (heard.items.some(([kind, probe]) => kind === 'probe' && probe === String(this.#probes)))
        this.#becomeSure();
      return;
    }
    for (const item of heard.items) {
      const notice = toNotice(item);
      if (notice !== undefined) this.#onNotice(notice);
    }
  }

  /**
   * Sends a probe on a different connection from the one that listens: behind a transaction-mode pooler, a
   * connection receives only its own notifications.
   */
  #probe(): void {
    this.#probes++;
    this.#cancelProbe();
    this.#cancelProbe = this.#timers.idlyAfter(PROBE_LIMIT_MS, () => this.#listener?.renew());
    this.#notify(toPayloads(this.#me, [['probe', String(this.#probes)]])).catch(() => undefined);
  }

  #becomeSure(): void {
    this.#cancelProbe();
    this.#cancelProbe = this.#timers.idlyAfter(PROBE_EVERY_MS, () => this.#probe());
    if (this.#arrive) return;
    this.#arrive = true;
    if (this.#hasComplained) this.#parts.log.info({}, 'notices of other processes arrive again');
    this.#hasComplained = false;
    this.#onNotice({ kind: 'missed' });
  }

  #lose(reason: string): void {
    this.#cancelProbe();
    if (this.#listener === undefined) return;
    if (!this.#hasComplained)
      this.#parts.log.warn(
        { reason },
        'notices of other processes do not arrive; looking for changes instead',
      );
    this.#hasComplained = true;
    if (!this.#arrive) return;
    this.#arrive = false;
    this.#onNotice({ kind: 'missed' });
  }
}

const MISSED: Item = ['missed'];

function toItem(notice: Notice): Item {
  switch (notice.kind) {
    case 'run':
    case 'cancel':
      return [notice.kind, notice.runId];
    case 'thread':
      return [notice.kind, notice.threadId];
    case 'list':
      return [notice.kind, notice.userId, ...(notice.threadId === undefined ? [] : [notice.threadId])];
    case 'waiting':
    case 'left':
    case 'missed':
      return [notice.kind];
  }
}

/** Returns `undefined` for a kind from a newer release, or an incomplete item. */
function toNotice([kind, id, second]: Item): Notice | undefined {
  if (kind === 'waiting' || kind === 'left' || kind === 'missed') return { kind };
  if (id === undefined) return undefined;
  if (kind === 'run' || kind === 'cancel') return { kind, runId: id };
  if (kind === 'thread') return { kind, threadId: id };
  return kind === 'list' ? { kind, userId: id, threadId: second } : undefined;
}

function toPayloads(from: string, items: readonly Item[]): readonly string[] {
  const payloads: string[] = [];
  const begin = `[${JSON.stringify(from)}`;
  let payload = begin;
  for (const item of items) {
    const text = `,${JSON.stringify(item)}`;
    if (Buffer.byteLength(payload) + Buffer.byteLength(text) >= MAX_PAYLOAD_BYTES) {
      payloads.push(`${payload}]`);
      payload = begin;
    }
    payload += text;
  }
  payloads.push(`${payload}]`);
  return payloads.length > MAX_PAYLOADS ? toPayloads(from, [MISSED]) : payloads;
}

const payloadSchema = z.tuple([z.string()], z.array(z.string()));

function toItems(payload: string): { readonly from: string; readonly items: readonly Item[] } | undefined {
  try {
    const [from, ...items] = payloadSchema.parse(JSON.parse(payload));
    return { from, items };
  } catch {
    return undefined;
  }
}

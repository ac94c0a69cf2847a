// Frees connections whose peer vanished silently. The few bytes of heartbeats disappear into the kernel's
// buffer, so that no write ever stalls, and the kernel itself gives up such a connection only after a quarter
// of an hour.
import { readFile } from 'node:fs/promises';
import { type Server, type Socket, SocketAddress } from 'node:net';
import { REAL_TIMERS, type Timers } from '../../timers.ts';

interface HalfOpenWatchOptions {
  /** A connection is dropped within this time of its first unacknowledged heartbeat. */
  readonly stallMs: number;
  /** Returns the kernel's connection tables as text. */
  readonly readTables?: () => Promise<readonly string[]>;
  readonly timers?: Pick<Timers, 'idlyAfter' | 'elapsed'>;
}

interface Suspicion extends Unacknowledged {
  /** When the lack of acknowledgements was first seen. */
  readonly since: number;
}

/** Checks while connections are open. Finds nothing on systems that do not expose unacknowledged bytes. */
export function watchHalfOpen(
  server: Server,
  { stallMs, readTables = tcpTables, timers = REAL_TIMERS }: HalfOpenWatchOptions,
): void {
  const checkMs = stallMs / 6;
  const patienceMs = (stallMs * 2) / 3;
  const sockets = new Map<string, Socket>();
  let suspicions = new Map<string, Suspicion>();
  let isWatching = false;

  const check = async (): Promise<void> => {
    const found = (await readTables()).flatMap(unacknowledged);
    const now = timers.elapsed();
    const earlier = suspicions;
    suspicions = new Map();
    for (const it of found) {
      const name = `${it.local} ${it.remote}`;
      const socket = sockets.get(name);
      const since = sinceWhen(earlier.get(name), it) ?? now;
      if (socket !== undefined) suspicions.set(name, { ...it, since });
      // The reset also discards what the kernel would keep sending.
      if (now - since >= patienceMs) socket?.resetAndDestroy();
    }
  };
  const watch = (): void => {
    isWatching = sockets.size > 0;
    if (isWatching) timers.idlyAfter(checkMs, () => void check().finally(watch));
  };

  server.on('connection', (socket) => {
    const { localAddress, localPort, remoteAddress, remotePort } = socket;
    const name = `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
    sockets.set(name, socket);
    if (!isWatching) watch();
    socket.once('close', () => {
      if (sockets.get(name) === socket) sockets.delete(name);
    });
  });
}

/** Returns when the connection got stuck, or `undefined` if it is new or has acknowledged something. */
function sinceWhen(
  earlier: Suspicion | undefined,
  { bytes, retransmits }: Unacknowledged,
): number | undefined {
  const isStuck = earlier !== undefined && bytes >= earlier.bytes && retransmits >= earlier.retransmits;
  return isStuck ? earlier.since : undefined;
}

function tcpTables(): Promise<readonly string[]> {
  return Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'latin1').catch(() => '')),
  );
}

/** A connection whose oldest bytes were retransmitted without being acknowledged. */
interface Unacknowledged {
  /** `address port` of this end and of the peer. */
  readonly local: string;
  readonly remote: string;
  /** Number of unacknowledged bytes. */
  readonly bytes: number;
  /** Retransmissions of the oldest bytes; 0 as soon as some are acknowledged. */
  readonly retransmits: number;
}

/**
 * local, remote, state, tx_queue:rx_queue, timer, retransmits. Only lines with non-zero tx_queue and
 * retransmits.
 */
const LINE =
  /^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} (?!0{8}:)([0-9A-F]{8}):[0-9A-F]{8} [0-9A-F]{2}:[0-9A-F]+ (?!0{8} )([0-9A-F]{8}) /gm;

/** Returns the unacknowledged connections in a table, given as text. */
function unacknowledged(table: string): readonly Unacknowledged[] {
  return [...table.matchAll(LINE)].map(([, local = '', remote = '', bytes = '', retransmits = '']) => ({
    local: endOf(local),
    remote: endOf(remote),
    bytes: Number.parseInt(bytes, 16),
    retransmits: Number.parseInt(retransmits, 16),
  }));
}

function endOf(text: string): string {
  const [address = '', port = ''] = text.split(':');
  return `${addressOf(address)} ${Number.parseInt(port, 16)}`;
}

/**
 * Converts the kernel's hexadecimal address: four-byte words in the byte order of this processor, last byte
 * first.
 */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, n) => bytes.readUInt16BE(n * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

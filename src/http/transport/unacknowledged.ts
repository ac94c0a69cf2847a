// Connections whose bytes do not arrive, as Linux tells them in `/proc/net/tcp` and `/proc/net/tcp6`.
import { SocketAddress } from 'node:net';

/** A connection whose oldest bytes were sent again and again, and not acknowledged since. */
export interface Unacknowledged {
  /** `address port` of this end and of the other. */
  readonly local: string;
  readonly remote: string;
  /** What waits for its acknowledgement. */
  readonly bytes: number;
  /** How often the oldest of it was sent again; 0 as soon as some of it is acknowledged. */
  readonly retransmits: number;
}

/** local, remote, state, tx_queue:rx_queue, timer, retransmits; only lines with something in both of the numbers. */
const LINE =
  /^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]{2} (?!0{8}:)([0-9A-F]{8}):[0-9A-F]{8} [0-9A-F]{2}:[0-9A-F]+ (?!0{8} )([0-9A-F]{8}) /gm;

/** Those of the table, given as the text of the file. */
export function unacknowledged(table: string): readonly Unacknowledged[] {
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

/** The address is in words of four bytes, each written as this machine's processor holds it: the last byte first. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex');
  bytes.swap32();
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, n) => bytes.readUInt16BE(n * 2).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

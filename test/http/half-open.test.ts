// Connections whose other end disappears silently (fault.F32).
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchHalfOpen } from '../../src/http/transport/half-open-watch.ts';

const SCRIPT = fileURLToPath(import.meta.resolve('./half-open-process.ts'));
const STALL_SECONDS = 6;

/** Whether a network namespace is available: the tests break a network, and not that of the machine. */
function hasOwnNetwork(): boolean {
  try {
    execFileSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up'], { stdio: 'ignore' });
    return true;
  } catch {
    console.warn(
      'This machine gives no network namespace: half-open connections are tested with recordings only.',
    );
    return false;
  }
}

describe.runIf(hasOwnNetwork())('a connection that breaks silently', () => {
  it('[http.server.half-open] [fault.F32] is freed within the stall time, though its heartbeats never stall', async () => {
    const { stdout } = await promisify(execFile)('unshare', [
      '-rn',
      process.execPath,
      SCRIPT,
      String(STALL_SECONDS),
    ]);
    const { freedAfterMs, ownMs } = JSON.parse(stdout) as { freedAfterMs: number; ownMs: number };
    expect(freedAfterMs).toBeGreaterThan(STALL_SECONDS * 500);
    expect(ownMs).toBeLessThan(STALL_SECONDS * 1000);
  });
});

describe('the tables of the kernel', () => {
  let server: Server;
  const clients: Socket[] = [];
  beforeEach(async () => {
    server = createServer();
    server.listen(0);
    await once(server, 'listening');
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.destroy();
    server.close();
  });

  const hex = (n: number, length: number) => n.toString(16).toUpperCase().padStart(length, '0');
  const port = () => (server.address() as AddressInfo).port;

  /** Connects a pair, and returns the recorded line of the table for the server's end of it. */
  async function pair(host: '127.0.0.1' | '::1') {
    const [[socket], client] = await Promise.all([
      once(server, 'connection') as Promise<[Socket]>,
      new Promise<Socket>((resolve) => {
        const made = connect(port(), host, () => resolve(made));
      }),
    ]);
    clients.push(client);
    client.on('error', () => undefined);
    const { localPort = 0, remotePort = 0 } = socket;
    const address = host === '::1' ? '00000000000000000000000001000000' : '0000000000000000FFFF00000100007F';
    return {
      socket,
      line: (unacknowledged: number, retransmits: number) =>
        `   7: ${address}:${hex(localPort, 4)} ${address}:${hex(remotePort, 4)} 01 ${hex(unacknowledged, 8)}:00000000 ` +
        `01:00000C2E ${hex(retransmits, 8)}     0        0 41830 4 00000000c3b2b7a1 12800 4 0 10 -1`,
    };
  }

  it('[http.server.half-open.recorded] close unacknowledged connections, and none that are only slow or lossy', async () => {
    const lines: ((look: number) => string)[] = [];
    let looks = 0;
    const readTables = async () => {
      looks++;
      const head =
        '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';
      return ['', [head, ...lines.map((line) => line(looks))].join('\n')];
    };
    const time = ownedTime();
    watchHalfOpen(server, { stallMs: 60_000, readTables, timers: time.timers });
    const [gone, goneV6] = [await pair('127.0.0.1'), await pair('::1')];
    const [slow, lossy, draining] = [await pair('::1'), await pair('127.0.0.1'), await pair('::1')];
    lines.push(
      (look) => gone.line(10 * look, look),
      (look) => goneV6.line(2, 3 + look),
      // The window of the other end is closed: it acknowledges, but accepts no data.
      () => slow.line(65_536, 0),
      // Retransmitted now and then, and acknowledged in between.
      (look) => lossy.line(100, 1 + (look % 2)),
      (look) => draining.line(1_000_000 - look, 1),
    );
    await time.pass(60_000);
    expect([gone, goneV6].map(({ socket }) => socket.destroyed)).toEqual([true, true]);
    await time.pass(60_000);
    expect([slow, lossy, draining].map(({ socket }) => socket.destroyed)).toEqual([false, false, false]);
  });
});

/** Returns timers whose time the test moves. */
function ownedTime() {
  let now = 0;
  let set = Promise.withResolvers<{ readonly at: number; readonly work: () => void }>();
  return {
    timers: {
      elapsed: () => now,
      idlyAfter(ms: number, work: () => void) {
        set.resolve({ at: now + ms, work });
        return () => {};
      },
    },
    /** Runs the timers of that time; resolves when the first later one is set. */
    async pass(ms: number): Promise<void> {
      const end = now + ms;
      for (let timer = await set.promise; timer.at <= end; timer = await set.promise) {
        set = Promise.withResolvers();
        now = timer.at;
        timer.work();
      }
      now = end;
    },
  };
}
